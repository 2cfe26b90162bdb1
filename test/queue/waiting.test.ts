import { expect, onTestFinished, test } from 'vitest'
import { redisQueue, type RedisQueueOptions } from '../../src/queue/redis-queue.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { deferred, eventually, keptLog, question } from '../harness/stores.ts'

describeWithRedis('turns and waiting questions in Redis', () => {
  const server = suiteRedis()

  const opened = async (prefix: string, options: Partial<RedisQueueOptions> = {}) => {
    const queue = redisQueue({
      now: Date.now,
      redis: { url: server.url },
      log: keptLog(),
      prefix,
      graceMs: 50,
      lockMs: 60_000,
      acceptMs: 60_000,
      ...options,
    })
    onTestFinished(() => queue.stop(0))
    await eventually(async () => expect(await queue.ready()).toBe(true))
    return queue
  }

  test('a question that a crash left counted as waiting is corrected by its run', async () => {
    const queue = await opened('ghost', { now: () => 60_000 })
    const [redis, seen, free] = [server.rawClient(), [] as string[], deferred()]
    await queue.start(async ({ ts }) => {
      seen.push(ts ?? '')
      if (ts === 'held') await free.promise
    })
    await queue.accept(question('done'))
    await queue.accept(question('held'))
    await eventually(() => expect(seen).toEqual(['done', 'held']))
    const left = ['done', 'held', 'never heard of'].map((name) => `T1:C1:1.0 T1:C1:${name}`)
    await redis.zadd('{ghost:bull}:waiting', ...left.flatMap((entry) => [1_000, entry]))
    await queue.accept(question('next', { at: 20_000 }))
    expect(await queue.stats()).toEqual({ waiting: 1, active: 1, oldestMs: 40_000 })
    free.resolve()
    await eventually(async () => expect(await queue.stats()).toEqual({ waiting: 0, active: 0, oldestMs: 0 }))
  })

  test('lost jobs and counts are restored', async () => {
    const front = await opened('lost', { role: 'front', now: () => 60_000 })
    for (const name of ['a', 'b', 'c']) await front.accept(question(name, { at: 10_000 }))
    await front.accept(question('d', { thread: '2.0', at: 20_000 }))
    expect(await front.stats()).toEqual({ waiting: 4, active: 0, oldestMs: 50_000 })
    const redis = server.rawClient()
    await redis.del(...(await redis.keys('{lost:bull}*')))
    const worker = await opened('lost', { concurrency: 1, now: () => 60_000 })
    const free = deferred()
    await worker.start(() => free.promise)
    await eventually(async () => expect(await front.stats()).toMatchObject({ waiting: 3, active: 1 }))
    free.resolve()
    await eventually(async () => expect(await front.stats()).toEqual({ waiting: 0, active: 0, oldestMs: 0 }))
  })

  test('a released question waits again', async () => {
    const queue = await opened('down', { backoffMs: 600_000, now: () => 60_000 })
    await queue.start(async () => {
      throw new Error('not now')
    })
    await queue.accept(question('a', { at: 10_000 }))
    await eventually(async () => expect(await queue.stats()).toEqual({ waiting: 1, active: 0, oldestMs: 50_000 }))
  })

  test('channels without waiting questions are forgotten, and the data of the others expires', async () => {
    const queue = await opened('tags', { concurrency: 1 })
    const [redis, key] = [server.rawClient(), '{tags:bull}:fair']
    let seen = 0
    await queue.start(async () => void seen++)
    const ask = (name: string, channel: string) => queue.accept(question(name, { channel, thread: `${name}.0` }))
    for (let n = 0; n < 150; n++) await ask(`${n}`, `C${n}`)
    for (let n = 0; n < 10; n++) await ask(`busy-${n}`, 'CX')
    await eventually(() => expect(seen).toBe(160))
    for (let n = 150; n < 260; n++) await ask(`${n}`, `C${n}`)
    expect(await redis.hlen(key)).toBeLessThan(200)
    await eventually(() => expect(seen).toBe(270))
    expect(await redis.pttl(key)).toBeGreaterThan(0)
    expect(await redis.pttl(key)).toBeLessThanOrEqual(86_400_000)
  })

  test('tags restart half-way to BullMQ’s last priority, and stay there without a pause', async () => {
    const front = await opened('far', { role: 'front' })
    const [redis, key] = [server.rawClient(), '{far:bull}:fair']
    await redis.hset(key, { now: 1_500_000, 'T1:C1': 1_500_000 })
    await front.accept(question('first'))
    expect(Number(await redis.hget(key, 'T1:C1'))).toBe(1)
    await redis.hset(key, { now: 2 ** 21 - 1, 'T1:C1': 2 ** 21 - 1 })
    await front.accept(question('second', { thread: '2.0' }))
    await front.accept(question('third', { thread: '3.0' }))
    expect(Number(await redis.hget(key, 'T1:C1'))).toBe(2 ** 21 - 1)
    const worker = await opened('far', { concurrency: 1 })
    const seen: string[] = []
    await worker.start(async ({ ts }) => void seen.push(ts ?? ''))
    await eventually(() => expect(seen).toEqual(['first', 'second', 'third']))
  })

  test('jobs that outlive their tags set the virtual time, so that new ones do not overtake them for long', async () => {
    const front = await opened('expired', { role: 'front' })
    for (let n = 0; n < 10; n++) await front.accept(question(`old-${n}`, { thread: `${n}.0` }))
    await server.rawClient().del('{expired:bull}:fair')
    const worker = await opened('expired', { concurrency: 1 })
    const seen: string[] = []
    for (let n = 0; n < 10; n++) await front.accept(question(`new-${n}`, { channel: 'C2', thread: `${n}.0` }))
    await worker.start(async ({ ts }) => void seen.push(ts ?? ''))
    await eventually(() => expect(seen).toHaveLength(20))
    expect(seen.slice(0, 10).filter((ts) => ts.startsWith('old')).length).toBe(5)
  })
})
