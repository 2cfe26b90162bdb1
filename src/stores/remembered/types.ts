import { z } from 'zod'
import type { ForgottenPerson, Forgetting, Person, Place } from '../../base/place.ts'

/** One thing that people asked the bot to remember, in their own words. */
export const rememberedSchema = z.object({
  /** Unique in its scope: the ts of a message, or the id of a click. The same id is kept once. */
  id: z.string(),
  text: z.string(),
  /** The id of the person whose words these are. */
  by: z.string(),
  /** The id of the person who had somebody else's words remembered. */
  keptBy: z.string().optional(),
  /** The workspace of the person whose words these are, if it is another one. */
  userTeam: z.string().optional(),
  /** Slack said what the place was when it was added. Absent if 0.1.0 added it. */
  isTold: z.literal(true).optional(),
  /** The time of the message. Milliseconds since the epoch. */
  at: z.number(),
})
export type Remembered = z.infer<typeof rememberedSchema>

/**
 * The scope of questions that may use a remembered text: `team:channel:all`, `team:channel:shared` while the channel is
 * shared with another company, or `team:channel:user` in a direct message.
 */
export type RememberedScope = string

/** The place of a message, as an event names it. */
export interface RememberedPlace extends Place, Person {}

/** Returns all scopes that a place can have. */
export function scopesOf({ team, channel, user }: RememberedPlace): RememberedScope[] {
  const names = channel.startsWith('D') ? [user] : ['all', 'shared']
  return names.map((name) => `${team}:${channel}:${name}`)
}

/** Returns the scope of a place. `isShared`: with another company. */
export function scopeOf(place: RememberedPlace, { isShared }: { isShared: boolean }): RememberedScope {
  const [own = '', shared = own] = scopesOf(place)
  return isShared ? shared : own
}

/** The most that is remembered in a scope, and the longest of it in characters. */
export const MAX_REMEMBERED = 100
/** The share that a person has in a full scope, at the cost of whoever has more. */
export const MAX_PER_PERSON = 20
export const REMEMBERED_CHARS = 500

/**
 * The remembered items by scope, each until MEMORY_TTL_DAYS after its last use. A scope that no key opens is left as it
 * is: `list`, `add`, `use` and `remove` throw SealBroken.
 */
export interface RememberedStore extends Forgetting {
  /** Returns all of a scope, the oldest first. */
  list(scope: RememberedScope): Promise<Remembered[]>
  /**
   * Adds an item. `known`: its id exists already, or was forgotten a moment ago. `same`: the same words are kept
   * already. `full`: the scope has `MAX_REMEMBERED`.
   */
  add(scope: RememberedScope, one: Remembered): Promise<'added' | 'known' | 'same' | 'full'>
  /** Restarts the expiry of these. */
  use(scope: RememberedScope, ids: readonly string[]): Promise<void>
  remove(scope: RememberedScope, id: string): Promise<void>
  /** Deletes the texts that a person wrote or added, in all scopes of the team. */
  forgetUser(person: ForgottenPerson): Promise<void>
}
