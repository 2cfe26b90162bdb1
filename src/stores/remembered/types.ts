import type { Forgetting, Person } from '../../base/place.ts'

/** One thing that people asked the bot to remember, in their own words. */
export interface Remembered {
  /** Unique in its scope: the ts of a message, or the id of a click. The same id is kept once. */
  id: string
  text: string
  /** The id of the person whose words these are. */
  by: string
  /** The id of the person who had somebody else's words remembered. */
  keptBy?: string
  /** When it was said. Milliseconds since the epoch. */
  at: number
}

/**
 * The place whose questions may use what is remembered: `team:channel:all`, or `team:channel:user` in a direct message.
 */
export type RememberedScope = string

/** Returns the scope of a place, as an event names it. */
export function scopeOf({ team, channel, user }: { team: string; channel: string; user: string }): RememberedScope {
  return `${team}:${channel}:${channel.startsWith('D') ? user : 'all'}`
}

/** The most that is remembered in a scope, and the longest of it in characters. */
export const MAX_REMEMBERED = 100
export const REMEMBERED_CHARS = 500

/** What people had remembered, by scope, each until MEMORY_TTL_DAYS after its last use. */
export interface RememberedStore extends Forgetting {
  /** Returns all of a scope, the oldest first. */
  list(scope: RememberedScope): Promise<Remembered[]>
  /**
   * Adds an item. `known`: it exists already, or was forgotten a moment ago. `full`: the scope has `MAX_REMEMBERED`.
   */
  add(scope: RememberedScope, one: Remembered): Promise<'added' | 'known' | 'full'>
  /** Restarts the expiry of these. */
  use(scope: RememberedScope, ids: readonly string[]): Promise<void>
  remove(scope: RememberedScope, id: string): Promise<void>
  /** Forgets what a person said or kept, in all scopes of the team. */
  forgetUser(person: Person): Promise<void>
}
