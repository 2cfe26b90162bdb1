import { randomBytes } from 'node:crypto'
import { BOT_USER } from './store.ts'
import type { Json } from './types.ts'

/** How a workspace lets apps search: by words, or by meaning too. */
export type SearchKind = 'words' | 'meaning'

/** The action tokens of events that address the bot. Slack does not document their lifetime. */
export interface IssuedSearchTokens {
  kind: SearchKind
  /** Returns the event with a token, if it addresses the bot. */
  withToken(event: Json): Json
  /** Returns a token that finds all that this person can see, as if they had granted it. */
  ownOf(user: string): string
  /** Returns a token's person. `expired`: it was valid once. */
  personOf(token: string): { user: string; isOwn: boolean } | 'expired' | undefined
}

const LIFE_MS = 600_000

export function createSearchTokens(options: {
  kind: SearchKind
  now: () => number
  lifeMs?: number
  /** Returns whether all tokens count as expired, whatever their age. */
  areExpired: () => boolean
}): IssuedSearchTokens {
  const { kind, now, lifeMs = LIFE_MS, areExpired } = options
  const given = new Map<string, { user: string; until: number; isOwn: boolean }>()
  const issue = (user: string, isOwn = false) => {
    const token = `${given.size + 1}.${now()}.${randomBytes(16).toString('hex')}`
    given.set(token, { user, until: isOwn ? Infinity : now() + lifeMs, isOwn })
    return token
  }
  return {
    kind,
    withToken(event) {
      const { type, user, bot_id, subtype } = event
      if (typeof user !== 'string' || user === BOT_USER || bot_id !== undefined || subtype !== undefined) return event
      // The token's field differs from event to event.
      if (type === 'app_mention') return { ...event, action_token: issue(user) }
      const isDirect = type === 'message' && event['channel_type'] === 'im'
      return isDirect ? { ...event, assistant_thread: { action_token: issue(user) } } : event
    },
    ownOf: (user) => [...given].find(([, one]) => one.isOwn && one.user === user)?.[0] ?? issue(user, true),
    personOf(token) {
      const one = given.get(token)
      if (!one) return undefined
      return one.isOwn || (one.until > now() && !areExpired()) ? one : 'expired'
    },
  }
}
