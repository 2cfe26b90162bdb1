/**
 * Fair turns over all workers: channels take turns, and within a channel its threads do. It is start-time fair queuing
 * (Goyal, Vin, Cheng, "Start-time Fair Queuing", SIGCOMM 1996) with one question as the length of every packet.
 *
 * Each turn gets a start tag: one more than its channel's last, but no less than the virtual time, which is the highest tag
 * that has begun. BullMQ hands out the lowest tag first, so a channel that was quiet waits for one turn of each other one,
 * and gets no credit for its silence. Nothing is counted: what a crash leaves out moves a tag by one.
 */
import { script } from '../redis.ts'

/** BullMQ's highest priority number. Beyond it turns go by their age alone. */
const LAST_TAG = 2 ** 21 - 1

const DAY_MS = 86_400_000
const TAGS_TTL_MS = DAY_MS
/** No shorter than a question itself is kept. */
const WAITING_TTL_MS = 30 * DAY_MS

// The tags are a sorted set: each channel's last tag, and the virtual time under the name `now`. A channel whose last tag
// is behind the time is as good as new, and is dropped.
const advance = `
  local function advance(time)
    redis.call('ZADD', KEYS[1], time, 'now')
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. time)
    redis.call('PEXPIRE', KEYS[1], ${TAGS_TTL_MS})
  end
`

/**
 * Gives a thread's next turn its place. KEYS: tags, waiting questions, job, and BullMQ's prioritized, active, wait, delayed.
 * ARGV: channel; and, where a question came in with it, the question and when it was asked (ms). Returns the tag, or 0 where
 * the turn has its job already.
 *
 * The tags begin anew when they have come half-way to their end and there is no turn at all; and after a day's silence, where
 * turns that are still there say what time it is.
 */
export const placeScript = script(`
  ${advance}
  if ARGV[2] then
    redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
    redis.call('PEXPIRE', KEYS[2], ${WAITING_TTL_MS})
  end
  if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end

  local time = tonumber(redis.call('ZSCORE', KEYS[1], 'now') or 0)
  if time > ${LAST_TAG} / 2 and redis.call('EXISTS', KEYS[4], KEYS[5], KEYS[6], KEYS[7]) == 0 then
    redis.call('DEL', KEYS[1])
    time = 0
  end
  if time == 0 then
    local score = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')[2]
    time = math.max(1, math.floor((score or 0) / 2 ^ 32))
  end
  local last = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0)
  local tag = math.min(math.max(time, last + 1), ${LAST_TAG})
  redis.call('ZADD', KEYS[1], tag, ARGV[1])
  advance(time)
  return tag
`)

/** A turn begins, and its question waits no longer. KEYS: tags, waiting questions. ARGV: the turn's tag, the question. */
export const begunScript = script(`
  ${advance}
  redis.call('ZREM', KEYS[2], ARGV[2])
  local time = redis.call('ZSCORE', KEYS[1], 'now')
  if not time or tonumber(time) < tonumber(ARGV[1]) then advance(ARGV[1]) end
`)
