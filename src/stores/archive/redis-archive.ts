import type { StoreLog } from '../../base/store-log.ts'
import { openTrace, packTrace } from './packed-trace.ts'
import type { Person } from '../../base/place.ts'
import {
  below,
  forgetKeys,
  forgettingKeys,
  scanKeys,
  threadKey,
  type RedisKeyspace,
} from '../../base/redis/redis-keys.ts'
import { redisScript } from '../../base/redis/redis-script.ts'
import { threadInKey } from '../runs/thread-keys.ts'
import type { Sealer } from '../../base/encryption.ts'
import { parseRecord } from './record.ts'
import type { RunTrace } from '../runs/run-trace.ts'
import type { Feedback, RunArchive, RunRecord } from './types.ts'

interface RedisArchiveOptions extends RedisKeyspace {
  log: StoreLog
  /** How long a run is kept. Milliseconds. */
  ttlMs: number
  /** Seals traces if SECRETS_KEY is set. */
  sealer?: Sealer | undefined
  now: () => number
}

const rateRun = redisScript(new URL('./lua/rate-run.lua', import.meta.url), {
  keys: ['record', 'feedback'],
  args: ['user', 'rating'],
})

/**
 * The runs that have ended, in Redis:
 *
 * PREFIX:{T:C:ts}:record    the run, as JSON; the tag is its question's id
 * PREFIX:{T:C:ts}:feedback  hash: a person's id to their feedback, as JSON; expires with the record
 * PREFIX:{T:C:ts}:trace     the run's trace, packed (packed-trace.ts), sealed if there is a key
 * PREFIX:{T:U}:asked:N      sorted set of the ids of the runs that a person asked for, scored by time (ms)
 * PREFIX:{T:U}:rated:N      set of the ids of the runs that a person gave feedback on
 *
 * N counts the spans of `ttlMs` since the epoch. An index needs no trimming that way: every kept run is in the index of
 * this span or the last one.
 */
export function redisArchive(options: RedisArchiveOptions): RunArchive {
  const { redis, prefix } = options
  const records = new Records(options)
  return {
    keep: (record) => records.keep(record),
    load: (id) => records.load(id),
    async lastOf(person, n) {
      const found: RunRecord[] = []
      const ids = await records.askedBy(person)
      // The record of an indexed run may be gone.
      while (found.length < n && ids.length > 0) {
        const some = await Promise.all(ids.splice(0, n - found.length).map((id) => records.load(id)))
        found.push(...some.filter((record) => record !== undefined))
      }
      return found
    },
    rate: (id, feedback) => records.rate(id, feedback),
    rated: () => records.rated(),
    remove: (id) => records.remove(id),
    keepTrace: (trace) => records.keepTrace(trace),
    loadTrace: (id) => records.loadTrace(id),
    forgetUser: (person) => records.forgetUser(person),
    ...forgettingKeys(redis, prefix, NAMES),
    forgetTeam: (team) => forgetKeys(redis, { prefix, tag: below(team), name: NAMES_IN_TEAM }),
  }
}

const NAMES = /^(?:record|feedback|trace)$/
const NAMES_IN_TEAM = /^(?:record|feedback|trace|asked:\d+|rated:\d+)$/

class Records {
  readonly #options: RedisArchiveOptions

  constructor(options: RedisArchiveOptions) {
    this.#options = options
  }

  /** Three commands, sent together. In a Cluster the index and the record are on different nodes. */
  async keep({ feedback: _, ...record }: RunRecord): Promise<void> {
    const { redis, ttlMs } = this.#options
    const { id, at } = record.question
    const [asked] = this.#indexes(record.question, 'asked')
    await Promise.all([
      redis.set(this.#key(id, 'record'), JSON.stringify(record), 'PX', ttlMs),
      redis.zadd(asked, at, id),
      redis.pexpire(asked, 2 * ttlMs),
    ])
  }

  async load(id: string): Promise<RunRecord | undefined> {
    const { redis, log } = this.#options
    const [text, feedback] = await Promise.all([
      redis.get(this.#key(id, 'record')),
      redis.hgetall(this.#key(id, 'feedback')),
    ])
    if (text === null) return undefined
    const record = parseRecord(text, feedback)
    if (!record) log.warn({ question: id }, 'skipped an unreadable record of a run')
    return record
  }

  /** Returns the ids of the runs that a person asked for, the newest first. */
  async askedBy(person: Person): Promise<string[]> {
    const { redis } = this.#options
    const parts = this.#indexes(person, 'asked').map((key) => redis.zrevrange(key, 0, -1))
    return [...new Set((await Promise.all(parts)).flat())]
  }

  async rate(id: string, { by, ...rating }: Feedback): Promise<boolean> {
    const { redis, ttlMs } = this.#options
    const [record, feedback] = [this.#key(id, 'record'), this.#key(id, 'feedback')]
    const isKept = await rateRun(redis, { record, feedback, user: by, rating: JSON.stringify(rating) })
    if (isKept !== 1) return false
    const [rated] = this.#indexes({ team: id.slice(0, id.indexOf(':')), user: by }, 'rated')
    await Promise.all([redis.sadd(rated, id), redis.pexpire(rated, 2 * ttlMs)])
    return true
  }

  async *rated(): AsyncGenerator<RunRecord> {
    const { redis, prefix } = this.#options
    const seen = new Set<string>()
    for await (const keys of scanKeys(redis, threadKey(prefix, '*', 'feedback')))
      for (const id of keys.map(threadInKey)) {
        const record = seen.has(id) ? undefined : await this.load(id)
        seen.add(id)
        if (record && record.feedback.length > 0) yield record
      }
  }

  async remove(id: string): Promise<void> {
    await this.#options.redis.unlink(this.#key(id, 'record'), this.#key(id, 'feedback'), this.#key(id, 'trace'))
  }

  /** Indexes the trace like its run, which may not have ended. */
  async keepTrace(trace: RunTrace): Promise<void> {
    const { redis, ttlMs, sealer } = this.#options
    const [key, packed] = [this.#key(trace.id, 'trace'), await packTrace(trace)]
    const [asked] = this.#indexes(trace, 'asked')
    await Promise.all([
      redis.set(key, sealer?.seal(packed, key) ?? packed, 'PX', ttlMs),
      redis.zadd(asked, 'NX', trace.startedAt, trace.id),
      redis.pexpire(asked, 2 * ttlMs),
    ])
  }

  async loadTrace(id: string): Promise<RunTrace | undefined> {
    const { redis, log, sealer } = this.#options
    const key = this.#key(id, 'trace')
    const kept = await redis.get(key)
    if (kept === null) return undefined
    const trace = await openTrace(kept, { key, sealer })
    if (!trace) log.warn({ question: id }, 'skipped an unreadable trace of a run')
    return trace
  }

  async forgetUser(person: Person): Promise<void> {
    const { redis } = this.#options
    for (const id of await this.askedBy(person)) await this.remove(id)
    for (const rated of this.#indexes(person, 'rated'))
      for (const id of await redis.smembers(rated)) await redis.hdel(this.#key(id, 'feedback'), person.user)
    await redis.unlink(...this.#indexes(person, 'asked'), ...this.#indexes(person, 'rated'))
  }

  /** Returns the keys of the current time span's index and of the previous one's. */
  #indexes({ team, user }: Person, name: 'asked' | 'rated'): [now: string, before: string] {
    const { prefix, ttlMs, now } = this.#options
    const span = Math.floor(now() / ttlMs)
    const keyOf = (n: number) => threadKey(prefix, `${team}:${user}`, `${name}:${n}`)
    return [keyOf(span), keyOf(span - 1)]
  }

  #key(id: string, name: 'record' | 'feedback' | 'trace'): string {
    return threadKey(this.#options.prefix, id, name)
  }
}
