import type { Json } from './types.ts'

/** A token bucket: calls per minute, and calls at once. */
interface Rate {
  perMinute: number
  burst: number
}

/** Slack documents calls per minute and "some burst", taken here as a quarter of a minute's calls. */
const TIER_2: Rate = { perMinute: 20, burst: 5 }
const TIER_3: Rate = { perMinute: 50, burst: 12 }
const TIER_4: Rate = { perMinute: 100, burst: 25 }
/** About one post per second in a channel, with short bursts: https://docs.slack.dev/apis/web-api/rate-limits. */
const POSTING: Rate = { perMinute: 60, burst: 5 }

/** The tier of each method, from its page in the reference. */
const RATES: Record<string, Rate> = {
  'chat.postMessage': POSTING,
  'chat.update': TIER_3,
  'chat.delete': TIER_3,
  'chat.postEphemeral': TIER_4,
  'chat.startStream': TIER_2,
  'chat.appendStream': TIER_4,
  'chat.stopStream': TIER_2,
  'agents.sessions.setStatus': TIER_3,
  'agents.sessions.rename': TIER_3,
  'conversations.history': TIER_3,
  'conversations.members': TIER_4,
  'conversations.replies': TIER_3,
  'conversations.info': TIER_3,
  'conversations.join': TIER_3,
  'conversations.open': TIER_3,
  'reactions.add': TIER_3,
  'reactions.remove': TIER_2,
  'users.conversations': TIER_3,
  'users.info': TIER_4,
  'bots.info': TIER_3,
  'reactions.get': TIER_3,
  'files.info': TIER_4,
  'files.getUploadURLExternal': TIER_4,
  'files.completeUploadExternal': TIER_4,
  'views.open': TIER_4,
  'views.push': TIER_4,
  'views.update': TIER_4,
  'views.publish': TIER_4,
}

/**
 * Counts calls of the methods in `only`, or of all. Returns the whole seconds until the next call is accepted, 0 for
 * now.
 */
export function createRates(now: () => number, only?: string[]): (method: string, args: Json) => number {
  const buckets = new Map<string, { left: number; at: number }>()
  return (method, args) => {
    const rate = RATES[method]
    if (!rate || (only && !only.includes(method))) return 0
    const key = rate === POSTING ? `${method}:${String(args['channel'])}` : method
    const bucket = buckets.get(key) ?? { left: rate.burst, at: now() }
    const perMs = rate.perMinute / 60_000
    bucket.left = Math.min(rate.burst, bucket.left + (now() - bucket.at) * perMs)
    bucket.at = now()
    buckets.set(key, bucket)
    if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / perMs / 1000))
    bucket.left -= 1
    return 0
  }
}
