import { threadKey, type RedisKeyspace } from '../../base/redis/redis-keys.ts'
import { redisScript } from '../../base/redis/redis-script.ts'
import { escapeGlob, forgetKeys } from '../kv/kv.ts'
import { redisKv } from '../kv/redis-kv.ts'
import { MEAN_SMOOTHING, MEAN_TTL_MS } from './rate-limiter.ts'
import type { Bucket, AdmittedQuestion, RateLimiter, Slots } from './rate-limiter.ts'

const admitQuestion = redisScript(new URL('./lua/admit-question.lua', import.meta.url), {
  keys: ['question', 'slots'],
  args: ['id', 'questionTtlMs', 'maxSlots', 'slotTtlMs'],
})

const releaseSlot = redisScript(new URL('./lua/release-slot.lua', import.meta.url), {
  keys: ['question', 'slots'],
  args: ['id', 'questionTtlMs', 'meanTtlMs', 'meanSmoothing'],
})

/**
 * Fair use in Redis, over all processes that share it: one command when a question is admitted and one when its run
 * ends. All keys of a command carry the team in their hash tag, so that a Cluster keeps them on one node.
 */
export function redisRateLimiter(
  { max, ttlMs }: Slots,
  questionTtlMs: number,
  { redis, prefix }: RedisKeyspace,
): RateLimiter {
  const keyOf = (team: string, name: string) => threadKey(prefix, team, `limit:${name}`)
  const questionArgs = ({ team, id }: AdmittedQuestion) => ({
    question: keyOf(team, `question:${id}`),
    slots: keyOf(team, 'at-once'),
    id,
    questionTtlMs,
  })
  const keysOf = ({ team }: AdmittedQuestion, buckets: Bucket[]) =>
    buckets.flatMap(({ key, mean }) => [keyOf(team, key), keyOf(team, mean ?? key)])

  return {
    async admit(entry, buckets) {
      const rules = buckets.flatMap(({ windowMs, pointMs, reserve }) => [windowMs, pointMs, reserve])
      const reply = await admitQuestion(
        redis,
        { ...questionArgs(entry), maxSlots: max ?? -1, slotTtlMs: ttlMs },
        { keys: keysOf(entry, buckets), args: rules },
      )
      const [number, waitMs] = reply as [number?, number?]
      if (number === undefined) return undefined
      const bucket = buckets[number - 1]
      return bucket ? { bucket, waitMs: waitMs ?? 0 } : 'slots'
    },
    async release(entry, charges) {
      const buckets = charges.map(({ bucket }) => bucket)
      const rules = charges.flatMap(({ bucket, points }) => [bucket.windowMs, bucket.pointMs, points])
      await releaseSlot(
        redis,
        { ...questionArgs(entry), meanTtlMs: MEAN_TTL_MS, meanSmoothing: MEAN_SMOOTHING },
        { keys: keysOf(entry, buckets), args: rules },
      )
    },
    async fillTimes(team, buckets) {
      // A bucket's key lives until the bucket is full, and a millisecond more (bucket-clock.lua).
      const left = await Promise.all(buckets.map(({ key }) => redis.pttl(keyOf(team, key))))
      return left.map((ms) => Math.max(0, ms - 1))
    },
    forgetTeam: (team) => forgetKeys(redisKv({ redis, prefix }), escapeGlob(team), /^limit:/),
  }
}
