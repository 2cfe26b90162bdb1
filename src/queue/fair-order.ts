/**
 * Fair turns over all workers: channels take turns, and within a channel its threads do. It is start-time fair queuing
 * (Goyal, Vin, Cheng, "Start-time Fair Queuing", SIGCOMM 1996) with one question as the length of every packet.
 *
 * Each turn gets a start tag: one more than its channel's last, but no less than the virtual time, which is the highest tag
 * of a turn that has begun. BullMQ hands out the lowest tag first. So a channel that was quiet waits for one turn of each
 * other channel, and gets no credit for its silence. A crash between two steps shifts a tag by one, and no more.
 */
import { script } from '../redis.ts'

/** BullMQ's highest priority number. Beyond it turns go by their age alone. */
const LAST_TAG = 2 ** 21 - 1

const DAY_MS = 86_400_000
const TAGS_TTL_MS = DAY_MS
/** At least as long as a question itself is kept. */
export const WAITING_TTL_MS = 30 * DAY_MS

/**
 * Gives a thread's next turn its place. KEYS: tags, waiting questions, job, and BullMQ's prioritized, active, wait, delayed.
 * ARGV: channel; and, for a new question, its entry in the waiting questions and when it was asked (ms). Returns the tag, or
 * 0 if the turn already has its job.
 *
 * The tags are a hash: each channel's last one, and the virtual time under the name `now`. They start again from 1 when they
 * are half-way to the highest number and no turn is left. After a day's silence the hash expires, and the virtual time is
 * taken from the turns that are still there. Once in a while, channels whose last tag is not ahead of the virtual time are
 * dropped: a new channel would get the same place.
 */
export const placeScript = script(`
  if ARGV[2] then
    redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
    redis.call('PEXPIRE', KEYS[2], ${WAITING_TTL_MS})
  end
  if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end

  local now, last = unpack(redis.call('HMGET', KEYS[1], 'now', ARGV[1]))
  now, last = tonumber(now or 0), tonumber(last or 0)
  if now > ${LAST_TAG} / 2 and redis.call('EXISTS', KEYS[4], KEYS[5], KEYS[6], KEYS[7]) == 0 then
    redis.call('DEL', KEYS[1])
    now, last = 0, 0
  end
  if now == 0 then
    local score = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')[2]
    now = math.max(1, math.floor((score or 0) / 2 ^ 32))
  end
  local tag = math.min(math.max(now, last + 1), ${LAST_TAG})
  if last == 0 and redis.call('HLEN', KEYS[1]) % 200 == 199 then
    local all = redis.call('HGETALL', KEYS[1])
    for i = 1, #all, 2 do
      if tonumber(all[i + 1]) <= now then redis.call('HDEL', KEYS[1], all[i]) end
    end
  end
  redis.call('HSET', KEYS[1], 'now', now, ARGV[1], tag)
  redis.call('PEXPIRE', KEYS[1], ${TAGS_TTL_MS})
  return tag
`)

/** A turn begins, and its question waits no longer. KEYS: tags, waiting questions. ARGV: the turn's tag, the question. */
export const begunScript = script(`
  redis.call('ZREM', KEYS[2], ARGV[2])
  local now = redis.call('HGET', KEYS[1], 'now')
  if now and tonumber(now) < tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'now', ARGV[1]) end
`)
