import { messageOf } from '../base/errors.ts'
import type { StoreLog } from '../base/store-log.ts'
import { scanKeys } from '../base/redis/redis-keys.ts'
import { threadInKey } from '../stores/runs/thread-keys.ts'
import type { QueueSettings } from './queue-settings.ts'
import type { RedisRunControl } from './redis-run-control.ts'
import type { QueueConnection } from './thread-jobs.ts'

/**
 * Finds inboxes without a live job and gives them one. A crash between storing a question and adding its job leaves
 * such an inbox, if Slack does not deliver again; so does a Redis that lost its last second. Also ends the waits of
 * runs that have waited for a person for too long. Sweeps now, and again after `sweepMs` give or take a fifth.
 * @returns a function that stops it
 */
export function startSweeper(
  connection: QueueConnection,
  control: RedisRunControl,
  log: StoreLog,
  { prefix, sweepMs, random }: QueueSettings,
): () => void {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const run = async () => {
    try {
      // One worker's sweep is enough for all of them.
      const isMyTurn = await connection.redis.set(`${prefix}:sweep`, 1, 'PX', Math.ceil(sweepMs / 2), 'NX')
      if (isMyTurn === 'OK') await sweep(connection, prefix, control, log)
    } catch (error) {
      if (!isStopped) log.warn({ error: messageOf(error) }, 'sweep failed')
    }
    if (!isStopped) timer = setTimeout(() => void run(), sweepMs * (0.8 + 0.4 * random()))
  }
  void run()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

async function sweep(connection: QueueConnection, prefix: string, control: RedisRunControl, log: StoreLog) {
  const { redis, jobs } = connection
  await jobs.clearEvents()
  let revived = 0
  for await (const keys of scanKeys(redis, `${prefix}:{*}:inbox`)) {
    const found = await Promise.all(keys.map((key) => revive(threadInKey(key), connection)))
    revived += found.filter(Boolean).length
  }
  const expired = await control.expireDue()
  if (expired > 0) log.info({ runs: expired }, 'nobody decided in time: suspended runs continue')
  if (revived > 0) log.warn({ threads: revived }, 're-enqueued threads without a job')
}

/** @returns whether the thread was given a new job */
async function revive(thread: string, { store, jobs }: QueueConnection): Promise<boolean> {
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
