/** Values that belong to one person: their logins at servers and in Slack, and the runs that wait for a login. */
import { isOf, type ForgottenPerson, type Person } from '../../base/place.ts'
import { below, escapeGlob, forgetKeys, kvKey, tagsMatching, type Kv } from '../kv/kv.ts'
import { createValues, type ValueStore } from './value-store.ts'

export interface PeopleStore {
  /** The values of one person, `team:user`. */
  of(person: string): ValueStore
  /** Values that belong to no person, such as links that were sent. */
  shared: ValueStore
  /** The people of a team, or of all teams, who have values. */
  list(team?: string): Promise<Person[]>
  forgetUser(person: ForgottenPerson): Promise<void>
  forgetTeam(team: string): Promise<void>
}

/** The key of a person in this store. */
export function personKey({ team, user }: Person): string {
  return `${team}:${user}`
}

/** The names of a person's keys: other stores keep theirs under the same tag. */
const NAMES = /^person-/

/** Keeps people's values under `{TEAM:USER}:person-KEY`. */
export function createPeople(kv: Kv): PeopleStore {
  const valuesOf = (room: string) => createValues(kv, { room, names: 'person-' })
  return {
    of: valuesOf,
    shared: valuesOf('people'),
    async list(team) {
      const found = await tagsMatching(kv, kvKey(team === undefined ? '*' : below(team), 'person-*'))
      // Slack's ids have no colon.
      return found.flatMap((person) => {
        const [of = '', user] = person.split(':')
        return user === undefined ? [] : [{ team: of, user }]
      })
    },
    // People of other companies have no values here.
    async forgetUser(person) {
      if (isOf(person, person)) await forgetKeys(kv, escapeGlob(personKey(person)), NAMES)
    },
    forgetTeam: (team) => forgetKeys(kv, below(team), NAMES),
  }
}
