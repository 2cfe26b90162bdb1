import { threadKey, type RedisClient } from '../redis.ts'
import { redisScript } from '../redis-script.ts'
import { KNOWN_MS, MEAN_MS, MEAN_SHARE, type Bucket, type Entry, type RateLimiter, type Slots } from './rate-limiter.ts'

const admitQuestion = redisScript(new URL('./lua/admit-question.lua', import.meta.url), {
  keys: ['question', 'slots'],
  args: ['id', 'knownMs', 'maxSlots', 'lapseMs'],
})

const releaseSlot = redisScript(new URL('./lua/release-slot.lua', import.meta.url), {
  keys: ['question', 'slots'],
  args: ['id', 'knownMs', 'meanMs', 'meanShare'],
})

/**
 * Fair use in Redis, over all processes that share it: one command as a question comes in and one as its run ends. Every key
 * is of one team, so that a Cluster has them on one node.
 */
export function redisRateLimiter(
  { max, lapseMs }: Slots,
  { redis, prefix }: { redis: RedisClient; prefix: string },
): RateLimiter {
  const keyOf = (team: string, name: string) => threadKey(prefix, team, `limit:${name}`)
  const named = ({ team, id }: Entry) => ({
    question: keyOf(team, `question:${id}`),
    slots: keyOf(team, 'at-once'),
    id,
    knownMs: KNOWN_MS,
  })
  const keysOf = ({ team }: Entry, buckets: Bucket[]) =>
    buckets.flatMap(({ key, mean }) => [keyOf(team, key), keyOf(team, mean ?? key)])

  return {
    async admit(entry, buckets) {
      const rules = buckets.flatMap(({ windowMs, pointMs, takes }) => [windowMs, pointMs, takes])
      const reply = await admitQuestion(
        redis,
        { ...named(entry), maxSlots: max ?? -1, lapseMs },
        { keys: keysOf(entry, buckets), args: rules },
      )
      const [number, waitMs] = reply as [number?, number?]
      const bucket = buckets[(number ?? 0) - 1]
      if (number === undefined) return undefined
      return bucket ? { bucket, waitMs: waitMs ?? 0 } : 'slots'
    },
    async release(entry, costs) {
      const buckets = costs.map(({ bucket }) => bucket)
      const rules = costs.flatMap(({ bucket, points }) => [bucket.windowMs, bucket.pointMs, points])
      await releaseSlot(
        redis,
        { ...named(entry), meanMs: MEAN_MS, meanShare: MEAN_SHARE },
        { keys: keysOf(entry, buckets), args: rules },
      )
    },
  }
}
