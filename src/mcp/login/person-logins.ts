import type { Sealer } from '../../base/encryption.ts'
import type { ValueStore } from '../../stores/values/value-store.ts'
import type { PeopleStore } from '../../stores/values/people-store.ts'
import { loginStore, type LoginStore } from './login-store.ts'
import type { HttpServerConfig, PersonLogin } from '../types.ts'

/** People's own logins at the servers that want them. A person is `team:user`. */
export interface PersonLogins {
  of(person: string): LoginStore
  /** The store of everything else that is kept for a person. */
  storeOf(person: string): ValueStore
  /** Returns a person's valid login, if there is one. */
  current(server: HttpServerConfig, person: string): Promise<PersonLogin | undefined>
  /** Deletes a login that the server has refused, unless the person has logged in again. */
  end(server: HttpServerConfig, refused: PersonLogin): Promise<void>
  noteUse(server: HttpServerConfig, person: string): Promise<void>
  /** Milliseconds since the epoch; undefined if it was never used. */
  lastUse(server: HttpServerConfig, person: string): Promise<number | undefined>
}

/** `store` holds the registered clients, which all people use. `now`: milliseconds since the epoch. */
export function personLogins(
  people: PeopleStore,
  store: ValueStore,
  sealer: Sealer | undefined,
  now: () => number,
): PersonLogins {
  const loaded = (server: HttpServerConfig, person: string) =>
    of(person)
      .load(server)
      .catch(() => undefined)
  const of = (person: string) => loginStore(people.of(person), sealer, store)
  const useKey = ({ name }: HttpServerConfig) => `used:${name}`
  return {
    of,
    storeOf: (person) => people.of(person),
    async current(server, person) {
      // A login that cannot be read counts as missing: the person logs in again.
      const login = await loaded(server, person)
      return login && { person, since: login.since ?? 0 }
    },
    end: (server, { person, since }) =>
      of(person).alone(server, async () => {
        const login = await loaded(server, person)
        if (login && (login.since ?? 0) === since) await of(person).remove(server)
      }),
    noteUse: (server, person) => people.of(person).put(useKey(server), now()),
    async lastUse(server, person) {
      const at = await people.of(person).get(useKey(server))
      return typeof at === 'number' ? at : undefined
    },
  }
}
