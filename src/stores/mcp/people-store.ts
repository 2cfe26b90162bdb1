/** Values that belong to one person: their logins at servers and in Slack, and the runs that wait for a login. */
import { below, forgetKeys, scanKeys, threadKey } from '../../base/redis/redis-keys.ts'
import type { Person } from '../../base/place.ts'
import { memoryMcpStore, redisMcpStore, type McpStore, type RedisMcpStoreOptions } from './mcp-store.ts'

export interface PeopleStore {
  /** The values of one person, `team:user`. */
  of(person: string): McpStore
  /** Values that belong to no person, such as links that were sent. */
  shared: McpStore
  /** The people of a team, or of all teams, who have values. */
  list(team?: string): Promise<Person[]>
  forgetUser(person: Person): Promise<void>
  forgetTeam(team: string): Promise<void>
}

/** The key of a person in this store. */
export function personKey({ team, user }: Person): string {
  return `${team}:${user}`
}

/** The people among these keys. Slack's ids have no colon. */
function personsIn(keys: Iterable<string>, team?: string): Person[] {
  return [...new Set(keys)].flatMap((key) => {
    const [of = '', user] = key.split(':')
    return user === undefined || of !== (team ?? of) ? [] : [{ team: of, user }]
  })
}

/** Keeps people's values in this process's memory. */
export function memoryPeople(options: { now: () => number }): PeopleStore {
  const rooms = new Map<string, McpStore>()
  return {
    of(person) {
      const room = rooms.get(person) ?? memoryMcpStore(options)
      rooms.set(person, room)
      return room
    },
    shared: memoryMcpStore(options),
    list: async (team) => personsIn(rooms.keys(), team),
    forgetUser: async (person) => void rooms.delete(personKey(person)),
    async forgetTeam(team) {
      for (const person of rooms.keys()) if (person.startsWith(`${team}:`)) rooms.delete(person)
    },
  }
}

/** The names of a person's keys: other stores keep theirs under the same tag. */
const NAMES = /^person-/

/** Keeps people's values in Redis, under `PREFIX:{TEAM:USER}:person-KEY`. */
export function redisPeople(place: RedisMcpStoreOptions): PeopleStore {
  const { redis, prefix } = place
  const roomOf = (room: string) => redisMcpStore({ ...place, room, names: 'person-' })
  const forget = (tag: string) => forgetKeys(redis, { prefix, tag, name: NAMES })
  return {
    of: roomOf,
    shared: roomOf('people'),
    async list(team) {
      const found: string[] = []
      for await (const keys of scanKeys(redis, threadKey(prefix, team === undefined ? '*' : below(team), 'person-*')))
        for (const key of keys) found.push(key.slice(key.indexOf('{') + 1, key.indexOf('}')))
      return personsIn(found, team)
    },
    forgetUser: ({ team, user }) => forget(below(team, user).slice(0, -2)),
    forgetTeam: (team) => forget(below(team)),
  }
}
