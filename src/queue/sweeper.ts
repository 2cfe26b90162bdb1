import { messageOf } from '../base/errors.ts'
import type { StoreLog } from '../base/store-log.ts'
import type { RedisClient } from '../base/redis/redis.ts'
import { scanKeys } from '../base/redis/redis-keys.ts'
import { threadInKey } from '../stores/runs/thread-keys.ts'
import type { QueueSettings } from './queue-settings.ts'
import type { RedisRunControl } from './redis-run-control.ts'
import type { ThreadJobs } from './thread-jobs.ts'
import type { ThreadStore } from './thread-store.ts'

interface SweeperParts {
  redis: RedisClient
  store: ThreadStore
  jobs: ThreadJobs
  control: RedisRunControl
  log: StoreLog
  settings: QueueSettings
}

/**
 * Finds inboxes without a live job and gives them one. A crash between storing a question and adding its job leaves
 * such an inbox, if Slack does not deliver again; so does a Redis that lost its last second. Also ends the waits of
 * runs that have waited for a person for too long. Runs at start and then at intervals.
 */
export class Sweeper {
  readonly #parts: SweeperParts
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(parts: SweeperParts) {
    this.#parts = parts
  }

  /** Sweeps now, and again after `sweepMs` give or take a fifth. Never rejects. */
  async run(): Promise<void> {
    const { log, settings } = this.#parts
    const { sweepMs, random } = settings
    try {
      if (await this.#isMyTurn()) await this.sweep()
    } catch (error) {
      if (!this.#isStopped) log.warn({ error: messageOf(error) }, 'sweep failed')
    }
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.run(), sweepMs * (0.8 + 0.4 * random()))
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** One worker's sweep is enough for all of them. */
  async #isMyTurn(): Promise<boolean> {
    const { redis, settings } = this.#parts
    const { prefix, sweepMs } = settings
    return (await redis.set(`${prefix}:sweep`, 1, 'PX', Math.ceil(sweepMs / 2), 'NX')) === 'OK'
  }

  /** @returns how many threads were given a new job */
  async sweep(): Promise<number> {
    const { redis, settings, log, control, jobs } = this.#parts
    await jobs.clearEvents()
    let revived = 0
    for await (const keys of scanKeys(redis, `${settings.prefix}:{*}:inbox`)) {
      const found = await Promise.all(keys.map((key) => this.#revive(threadInKey(key))))
      revived += found.filter(Boolean).length
    }
    const expired = await control.expireDue()
    if (expired > 0) log.info({ runs: expired }, 'nobody decided in time: suspended runs continue')
    if (revived > 0) log.warn({ threads: revived }, 're-enqueued threads without a job')
    return revived
  }

  async #revive(thread: string): Promise<boolean> {
    const { store, jobs } = this.#parts
    const gen = await store.revive(thread)
    if (gen === '' || (await jobs.has(thread, gen))) return false
    // Not under the same generation: the lost job may have been started before, and a new job counts its starts from
    // zero.
    const next = await store.revive(thread, gen)
    if (next === '') return false
    await jobs.waiting.recount(thread)
    await jobs.ensure(thread, next)
    return true
  }
}
