import { redisScript } from '../../base/redis/redis-script.ts'
import { escapeGlob, scanKeys, threadKey, type RedisKeyspace } from '../../base/redis/redis-keys.ts'
import type { Sealer } from '../../base/encryption.ts'
import type { StoreLog } from '../../base/store-log.ts'
import { Schedules, type SwappedText } from './schedule-store.ts'
import { refOf, ttlOf, type ScheduleRef, type ScheduleStore } from './types.ts'

interface RedisSchedulesOptions extends RedisKeyspace {
  log: StoreLog
  /** Seals schedules if SECRETS_KEY is set. */
  sealer?: Sealer | undefined
  now: () => number
}

const swapSchedule = redisScript(new URL('./lua/swap-schedule.lua', import.meta.url), {
  keys: ['schedule'],
  args: ['expected', 'text', 'ttlMs'],
})

/** The index expires this long after its last change. Each worker's repair at its start renews it. */
const INDEX_MS = 400 * 86_400_000

/**
 * Schedules in Redis:
 *
 *     PREFIX:{T:C}:schedule:U:ID  the schedule, as JSON
 *     PREFIX:{schedules}:due      sorted set of `T:C:U:ID`, scored by when the scheduler looks at it next
 */
export function redisSchedules(options: RedisSchedulesOptions): ScheduleStore {
  const { redis, prefix, now } = options
  const due = threadKey(prefix, 'schedules', 'due')
  const keyOf = ({ team, channel, user, id }: ScheduleRef) =>
    threadKey(prefix, `${team}:${channel}`, `schedule:${user}:${id}`)
  const texts = {
    get: async (ref: ScheduleRef) => (await redis.get(keyOf(ref))) ?? undefined,
    swap: async (ref: ScheduleRef, { expected = '', text = '', schedule }: SwappedText) =>
      (await swapSchedule(redis, {
        schedule: keyOf(ref),
        expected,
        text,
        ttlMs: schedule ? ttlOf(schedule, now()) : 0,
      })) === 1,
    async index(name: string, score: number) {
      await Promise.all([redis.zadd(due, score, name), redis.pexpire(due, INDEX_MS)])
    },
    async unindex(name: string) {
      await redis.zrem(due, name)
    },
    upTo: (score: number, max: number) => redis.zrangebyscore(due, '-inf', score, 'LIMIT', 0, max),
    async namesMatching({ team, channel, user, id }: Partial<ScheduleRef>) {
      const glob = [team, channel, user, id].map((part) => (part === undefined ? '*' : escapeGlob(part))).join(':')
      const names = new Set<string>()
      let cursor = '0'
      do {
        const [next, found] = await redis.zscan(due, cursor, 'MATCH', glob, 'COUNT', 1_000)
        cursor = next
        for (const [i, name] of found.entries()) if (i % 2 === 0) names.add(name)
      } while (cursor !== '0')
      return [...names]
    },
    async *all() {
      for await (const keys of scanKeys(redis, threadKey(prefix, '*', 'schedule:*')))
        yield keys.flatMap((key) => refOf(key.slice(prefix.length + 2).replace('}:schedule', '')) ?? [])
    },
  }
  return new Schedules(texts, { ...options, now })
}
