import { script, threadKey, type RedisClient } from '../redis.ts'
import { KNOWN_MS, MEAN_MS, MEAN_SHARE, type Bucket, type Entry, type RateLimiter, type Slots } from './rate-limiter.ts'

// The clock is Redis', which all workers share. Every key is of one team, so that a cluster has them on one node.
// How long a key is kept says how long its debt counts, see `keptUntil` of rate-limiter.ts.
const CLOCK = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local function fullAt(key) return math.max(now, tonumber(redis.call('GET', key) or 0)) end
  local function barredUntil(key) return math.min(fullAt(key), now + math.max(0, redis.call('PTTL', key))) end
  local function keep(key, at, window, point)
    if at <= now then return redis.call('DEL', key) end
    redis.call('SET', key, string.format('%.3f', at), 'PX', math.ceil(math.min(at - now, 2 * window - point)) + 1)
  end
`

/**
 * KEYS: id, slots; then of each bucket its own and that of its mean (or its own again). ARGV: id, how long it is known,
 * slots (or -1), when one lapses; then of each bucket its window, its point, and what is taken without a mean. Returns
 * nothing, or the number of the bucket that has no point (0: the slots) and the wait in ms. The rules are `waitFor` and
 * `takenAtFirst` of rate-limiter.ts.
 */
const admitScript = script(`
  ${CLOCK}
  local id, known, max, lapse = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
  local function bucket(n)
    return KEYS[2 * n + 1], tonumber(ARGV[3 * n + 2]), tonumber(ARGV[3 * n + 3]), tonumber(ARGV[3 * n + 4])
  end
  local buckets = (#KEYS - 2) / 2
  if redis.call('EXISTS', KEYS[1]) == 0 then
    for n = 1, buckets do
      local key, window, point = bucket(n)
      local wait = barredUntil(key) + point - window - now
      if wait > point / 1000 then return { n, math.ceil(wait) } end
    end
    if max >= 0 then
      redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
      if redis.call('ZCARD', KEYS[2]) >= max then return { 0, 0 } end
    end
    local taken = {}
    for n = 1, buckets do
      local key, window, point, takes = bucket(n)
      local mean = KEYS[2 * n + 2] ~= key and redis.call('GET', KEYS[2 * n + 2])
      taken[key] = math.min(tonumber(mean or takes), window / point)
      keep(key, barredUntil(key) + taken[key] * point, window, point)
    end
    redis.call('SET', KEYS[1], cjson.encode(taken), 'PX', known)
  end
  if max >= 0 then
    redis.call('ZADD', KEYS[2], now + lapse, id)
    redis.call('PEXPIRE', KEYS[2], lapse)
  end
  return {}
`)

/** KEYS as above. ARGV: id, how long it and a mean are known; then of each bucket its window, its point, and the cost. */
const settleScript = script(`
  ${CLOCK}
  redis.call('ZREM', KEYS[2], ARGV[1])
  local taken = cjson.decode(redis.call('GET', KEYS[1]) or '{}')
  for n = 1, (#KEYS - 2) / 2 do
    local key, mean = KEYS[2 * n + 1], KEYS[2 * n + 2]
    local window, point, cost = tonumber(ARGV[3 * n + 1]), tonumber(ARGV[3 * n + 2]), tonumber(ARGV[3 * n + 3])
    local before, isBudget = taken[key] or 0, mean ~= key
    if isBudget and taken.settled then cost = math.max(cost, before) end
    keep(key, fullAt(key) + (cost - before) * point, window, point)
    taken[key] = cost
    if isBudget and not taken.settled and cost > 0 then
      local known = tonumber(redis.call('GET', mean) or cost)
      redis.call('SET', mean, string.format('%.3f', known + (cost - known) * ${MEAN_SHARE}), 'PX', ARGV[3])
    end
  end
  taken.settled = true
  redis.call('SET', KEYS[1], cjson.encode(taken), 'PX', ARGV[2])
`)

/** Fair use in Redis, over all processes that share it: one command as a question comes in and one as its run ends. */
export function redisRateLimiter(
  { max, lapseMs }: Slots,
  { redis, prefix }: { redis: RedisClient; prefix: string },
): RateLimiter {
  const keysOf = ({ team, id }: Entry, buckets: Bucket[]) =>
    [`question:${id}`, 'at-once', ...buckets.flatMap(({ key, mean }) => [key, mean ?? key])].map((name) =>
      threadKey(prefix, team, `limit:${name}`),
    )

  return {
    async admit(entry, buckets) {
      const rules = buckets.flatMap(({ windowMs, pointMs, takes }) => [windowMs, pointMs, takes])
      const args = [entry.id, KNOWN_MS, max ?? -1, lapseMs, ...rules]
      const [number, waitMs] = (await admitScript(redis, keysOf(entry, buckets), args)) as [number?, number?]
      const bucket = buckets[(number ?? 0) - 1]
      if (number === undefined) return undefined
      return bucket ? { bucket, waitMs: waitMs ?? 0 } : 'slots'
    },
    async release(entry, costs) {
      const buckets = costs.map(({ bucket }) => bucket)
      const rules = costs.flatMap(({ bucket, points }) => [bucket.windowMs, bucket.pointMs, points])
      await settleScript(redis, keysOf(entry, buckets), [entry.id, KNOWN_MS, MEAN_MS, ...rules])
    },
  }
}
