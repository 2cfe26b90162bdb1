import type { RedisKeyspace } from '../base/redis/redis-keys.ts'
import type { ThreadKey } from '../base/place.ts'
import type { RedisClient } from '../base/redis/redis.ts'
import { runKey, runOf } from '../stores/runs/run-control.ts'
import { threadKeys } from '../stores/runs/thread-keys.ts'
import { parseRun } from '../stores/runs/stored-run.ts'
import { WAITING_TTL_MS } from './redis-fair-order.ts'

/** The maximum number of stale entries that one call of `oldest` removes. */
const MAX_CLEARED = 100

/**
 * The questions that no worker has: a sorted set of `runKey`, scored by when they were asked (milliseconds). A slash
 * command's question waits twice, under the same id: the second time in the thread that it got. In a Cluster it is on
 * another node than the threads' own keys, so a crash may leave a question in it that has already begun. `oldest`
 * recognises such entries by their runs and removes them.
 */
export class WaitingQuestions {
  readonly #redis: RedisClient
  readonly #prefix: string
  readonly key: string

  constructor(key: string, { redis, prefix }: RedisKeyspace) {
    this.#redis = redis
    this.#prefix = prefix
    this.key = key
  }

  async count(): Promise<number> {
    return this.#redis.zcard(this.key)
  }

  /** @returns when the oldest was asked, in milliseconds; undefined if none waits */
  async oldest(): Promise<number | undefined> {
    for (let cleared = 0; cleared < MAX_CLEARED; cleared++) {
      const [entry, at] = await this.#redis.zrange(this.key, 0, '0', 'WITHSCORES')
      if (entry === undefined) return undefined
      if (await this.#waits(entry)) return Number(at)
      await this.#redis.zrem(this.key, entry)
      // It may have been released, and added again, between the look at its run and its removal.
      if (await this.#waits(entry)) await this.#redis.zadd(this.key, Number(at), entry)
    }
    return undefined
  }

  async add(thread: ThreadKey, { id, at }: { id: string; at: number }): Promise<void> {
    await this.#redis.multi().zadd(this.key, at, runKey({ thread, id })).pexpire(this.key, WAITING_TTL_MS).exec()
  }

  async forgetTeam(team: string): Promise<void> {
    const entries = (await this.#redis.zrange(this.key, 0, '-1')).filter((entry) => entry.startsWith(`${team}:`))
    if (entries.length > 0) await this.#redis.zrem(this.key, ...entries)
  }

  /** Adds the waiting questions of a thread again, after a crash that may have lost them from this set. */
  async recount(thread: ThreadKey): Promise<void> {
    const { inbox, runs } = threadKeys(this.#prefix, thread)
    for (const id of await this.#redis.lrange(inbox, 0, -1)) {
      const run = parseRun(await this.#redis.hgetall(runs + id))
      if (run?.state === 'waiting') await this.add(thread, run.question)
    }
  }

  async #waits(entry: string): Promise<boolean> {
    const { thread, id } = runOf(entry)
    return (await this.#redis.hget(threadKeys(this.#prefix, thread).runs + id, 'state')) === 'waiting'
  }
}
