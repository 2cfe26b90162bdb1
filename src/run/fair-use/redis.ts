import { script, threadKey, type RedisClient } from '../../redis.ts'
import { KNOWN_MS, type Bucket, type Entry, type Ledger, type Places } from './ledger.ts'

// The clock is Redis', which all workers share. Every key is of one team, so that a cluster has them on one node.
const CLOCK = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local function fullAt(key) return math.max(now, tonumber(redis.call('GET', key) or 0)) end
  local function keep(key, at) redis.call('SET', key, string.format('%.3f', at), 'PX', math.ceil(at - now) + 1) end
`

/**
 * KEYS: id, places, buckets. ARGV: id, how long it is known, places (or -1), when one lapses; then of each bucket its
 * window, its point, and 1 if it is taken. Returns nothing, or the number of the bucket that has none (0: the places) and
 * the wait in ms. The rule is `waitFor` of ledger.ts.
 */
const admitScript = script(`
  ${CLOCK}
  local id, known, max, lapse = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
  if redis.call('EXISTS', KEYS[1]) == 0 then
    for i = 3, #KEYS do
      local window, point = tonumber(ARGV[3 * i - 4]), tonumber(ARGV[3 * i - 3])
      local wait = fullAt(KEYS[i]) + point - window - now
      if wait > point / 1000 then return { i - 2, math.ceil(wait) } end
    end
    if max >= 0 then
      redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
      if redis.call('ZCARD', KEYS[2]) >= max then return { 0, 0 } end
    end
    for i = 3, #KEYS do
      if ARGV[3 * i - 2] == '1' then keep(KEYS[i], fullAt(KEYS[i]) + ARGV[3 * i - 3]) end
    end
    redis.call('SET', KEYS[1], 'admitted', 'PX', known)
  end
  if max >= 0 then
    redis.call('ZADD', KEYS[2], now + lapse, id)
    redis.call('PEXPIRE', KEYS[2], lapse)
  end
  return {}
`)

/** KEYS as above. ARGV: id, how long it is known; then of each bucket the ms that are taken, and the most debt in ms. */
const settleScript = script(`
  ${CLOCK}
  redis.call('ZREM', KEYS[2], ARGV[1])
  if redis.call('GET', KEYS[1]) == 'settled' then return end
  redis.call('SET', KEYS[1], 'settled', 'PX', ARGV[2])
  for i = 3, #KEYS do
    keep(KEYS[i], math.min(fullAt(KEYS[i]) + ARGV[2 * i - 3], now + ARGV[2 * i - 2]))
  end
`)

/** Fair use in Redis, over all processes that share it: one command as a question comes in and one as its run ends. */
export function redisLedger(
  { max, lapseMs }: Places,
  { redis, prefix }: { redis: RedisClient; prefix: string },
): Ledger {
  const keysOf = ({ team, id }: Entry, buckets: Bucket[]) =>
    [`question:${id}`, 'at-once', ...buckets.map(({ key }) => key)].map((name) =>
      threadKey(prefix, team, `limit:${name}`),
    )

  return {
    async admit(entry, buckets) {
      const rules = buckets.flatMap(({ windowMs, pointMs, takes }) => [windowMs, pointMs, takes ? 1 : 0])
      const args = [entry.id, KNOWN_MS, max ?? -1, lapseMs, ...rules]
      const [number, waitMs] = (await admitScript(redis, keysOf(entry, buckets), args)) as [number?, number?]
      const bucket = buckets[(number ?? 0) - 1]
      if (number === undefined) return undefined
      return bucket ? { bucket, waitMs: waitMs ?? 0 } : 'places'
    },
    async settle(entry, costs) {
      const taken = costs.flatMap(({ bucket, points }) => [points * bucket.pointMs, 2 * bucket.windowMs])
      await settleScript(
        redis,
        keysOf(
          entry,
          costs.map(({ bucket }) => bucket),
        ),
        [entry.id, KNOWN_MS, ...taken],
      )
    },
  }
}
