import type { Person } from '../../base/place.ts'
import type { Services } from '../services.ts'
import type { ConnectableAccount } from '../views/connection-blocks.ts'

/**
 * `/ask connections`: the accounts that a person can connect or has connected, with new links. @throws if the store
 * fails
 */
export async function connectionsOf({ team, user }: Person, { connections }: Services): Promise<ConnectableAccount[]> {
  const person = { team, user }
  return Promise.all(
    (connections?.accounts ?? []).map(async ({ name, look }) => {
      const connected = await look(person)
      return { name, connected, link: connected ? undefined : await connections?.link(person, name) }
    }),
  )
}
