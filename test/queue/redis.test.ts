import { afterAll, beforeAll } from 'vitest'
import { redisQueue, type RedisQueueOptions } from '../../src/queue/redis.ts'
import { describeWithRedis, startRedis, type RedisServer } from '../harness/redis.ts'
import { keptLog } from '../harness/stores.ts'
import { queueContract } from './contract.ts'

describeWithRedis('the queue in Redis', () => {
  let server: RedisServer
  let count = 0
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())

  /** A queue of its own prefix, with short pauses. */
  const open = (options: Partial<RedisQueueOptions> = {}) =>
    redisQueue({
      redis: { url: server.url },
      log: keptLog(),
      prefix: `q${count++}`,
      backoffMs: 5,
      graceMs: 50,
      lockMs: 2_000,
      stalledMs: 500,
      ...options,
    })

  queueContract((settings) => open(settings))
})
