import { sleep } from '../../base/backoff.ts'
import type { RedisClient } from '../../base/redis/redis.ts'
import { applyPart } from './apply-part.ts'
import type { Run, SavedRun } from './types.ts'
import { fieldOf, postField } from './stored-run.ts'
import { LeaseLost } from '../../base/errors.ts'
import { redisScript } from '../../base/redis/redis-script.ts'

/** A run in Redis. The records of its last posts may wait for the write that ends the work on it. */
export interface RedisRun extends Run {
  /** Saves the records that wait. @throws LeaseLost */
  flush(): Promise<void>
  /** Hands the waiting records to the caller, who saves them: `field, value, field, value …`. */
  takeRecords(): string[]
}

interface RunPlace {
  redis: RedisClient
  /** Milliseconds since the epoch. */
  now: () => number
  /** The time after a take-over in which the earlier holder may still be sending claimed posts. Milliseconds. */
  settleMs: number
}

/** A run in Redis whose lease this process holds. */
export function redisRun(place: RunPlace, lease: RunLease, saved: SavedRun): RedisRun {
  const updates = new RunUpdates(place, lease)
  const settledAt = saved.attempts > 1 ? lease.since + place.settleMs : 0
  return {
    saved,
    async save(...parts) {
      if (parts.length === 0) return
      await updates.save(parts.flatMap(fieldOf))
      for (const part of structuredClone(parts)) applyPart(saved, part)
    },
    async claimPost(key) {
      // A saved ts never changes, so what this holder knows is still true; only its lease may be lost.
      const known = saved.posts[key]
      if (known) {
        await updates.check()
        return { ts: known }
      }
      const before = await updates.claim(postField(key))
      if (before) return { ts: before }
      saved.posts[key] = ''
      if (before === undefined) return 'fresh'
      // Looked up sooner, a post that is under way would not be there yet, and would be sent twice.
      const ms = Math.min(place.settleMs, settledAt - place.now())
      if (ms > 0) await sleep(ms)
      return 'unsure'
    },
    async posted(key, ts) {
      await updates.record(postField(key), ts)
      saved.posts[key] = ts
    },
    checkLease: () => updates.check(),
    flush: () => updates.flush(),
    takeRecords: () => updates.takeRecords(),
  }
}

/** The right to work on a run: the keys of its thread and of its hash, and the fencing token of this holder. */
export interface RunLease {
  threadKey: string
  runKey: string
  token: string
  /** Milliseconds since the epoch, from before the lease was taken. */
  since: number
}

const updateRun = redisScript(new URL('./lua/update-run.lua', import.meta.url), {
  keys: ['run'],
  args: ['token', 'claims'],
})

/** A claim or fields to save, and the callers that wait for it. */
interface Update {
  claims: string[]
  /** `field, value, field, value …` */
  fields: string[]
  resolve(before: (string | undefined)[]): void
  reject(error: unknown): void
}

/**
 * How long the record of a post waits for another write to carry it. If the process crashes in that time, the post is
 * still claimed, and the next worker looks it up like one whose sending was cut off. Milliseconds.
 */
const RECORD_MS = 50

/**
 * How long after a check the lease counts as held: much shorter than the shortest lock. A lock that could not be
 * renewed may end in that time, so the next holder waits longer than this before it looks a post up (`settleMs`).
 * Milliseconds.
 */
const SURE_MS = 400

/**
 * The writes of one holder of a run's lease. Updates of one turn of the event loop become one command, in one atomic
 * step with the check of the lease. A holder that was frozen for an hour finds another token there and changes nothing.
 */
class RunUpdates {
  readonly #redis: RedisClient
  readonly #lease: RunLease
  readonly #now: () => number
  #pending: Update[] = []
  /** Records that wait for the next write: `field, value, field, value …`. */
  #records: string[] = []
  #recordTimer: NodeJS.Timeout | undefined
  #sureAt: number

  constructor({ redis, now }: { redis: RedisClient; now: () => number }, lease: RunLease) {
    this.#redis = redis
    this.#lease = lease
    this.#now = now
    this.#sureAt = lease.since
  }

  /** @returns what the field held before; undefined if nobody had claimed it. @throws LeaseLost */
  async claim(field: string): Promise<string | undefined> {
    const [before] = await this.#add({ claims: [field], fields: [] })
    return before
  }

  /** Saves `field, value, field, value …`. @throws LeaseLost */
  async save(fields: string[]): Promise<void> {
    await this.#add({ claims: [], fields })
  }

  /**
   * Saves `field, value` with the next write, or by itself after a moment. Saves at once if the lease may be lost.
   * @throws LeaseLost
   */
  async record(field: string, value: string): Promise<void> {
    if (!this.#isSure()) return this.save([field, value])
    this.#records.push(field, value)
    this.#recordTimer ??= setTimeout(() => void this.flush().catch(() => undefined), RECORD_MS)
  }

  /** Saves the waiting records. @throws LeaseLost */
  async flush(): Promise<void> {
    if (this.#records.length > 0) await this.save([])
  }

  /** Hands the waiting records to the caller, who writes them. */
  takeRecords(): string[] {
    clearTimeout(this.#recordTimer)
    this.#recordTimer = undefined
    const records = this.#records
    this.#records = []
    return records
  }

  /** Asks Redis only if the lease was not confirmed a moment ago. @throws LeaseLost */
  async check(): Promise<void> {
    if (this.#isSure()) return
    const { runKey, token } = this.#lease
    await this.#held(async () => (await this.#redis.hget(runKey, 'starter')) === token || undefined)
  }

  #isSure(): boolean {
    return this.#now() - this.#sureAt < SURE_MS
  }

  #add(update: Pick<Update, 'claims' | 'fields'>): Promise<(string | undefined)[]> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ ...update, resolve, reject })
      if (this.#pending.length === 1) setImmediate(() => void this.#send())
    })
  }

  async #send(): Promise<void> {
    const updates = this.#pending
    this.#pending = []
    const claims = updates.flatMap((update) => update.claims)
    const records = this.takeRecords()
    const fields = [...records, ...updates.flatMap((update) => update.fields)]
    try {
      const named = { run: this.#lease.runKey, token: this.#lease.token, claims: claims.length }
      const before = await this.#held(async () => {
        const reply = await updateRun(this.#redis, named, { args: [...claims, ...fields] })
        return Array.isArray(reply) ? claims.map((_, i) => replyText(reply[i])) : undefined
      })
      for (const update of updates) update.resolve(before.splice(0, update.claims.length))
    } catch (error) {
      this.#records.unshift(...records)
      for (const update of updates) update.reject(error)
    }
  }

  /** The lease counts as held from before the request, because this process may have been frozen until the response. */
  async #held<T>(ask: () => Promise<T | undefined>): Promise<T> {
    const at = this.#now()
    const answer = await ask()
    if (answer === undefined) throw new LeaseLost('Another worker has taken this run over.')
    this.#sureAt = at
    return answer
  }
}

function replyText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
