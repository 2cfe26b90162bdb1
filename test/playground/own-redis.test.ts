/** `npm run playground -- --redis`: its own Redis, which can be unreachable for a while. */
import { readdir } from 'node:fs/promises'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { startOwnRedis } from '../../playground/base/own-redis.ts'
import { startPlayground } from '../../playground/main.ts'
import { GENERAL } from '../../playground/slack/slack.ts'
import { temporaryFolder } from '../harness/command.ts'
import { describeWithRedis } from '../harness/redis.ts'

test('without an installed redis-server a message says so, and nothing is left behind', async (t) => {
  const within = await temporaryFolder(t)
  await expect(startOwnRedis('no-such-redis-server', within)).rejects.toThrow(
    /No redis-server is installed .*keeps everything in memory/,
  )
  await expect(startOwnRedis('false', within)).rejects.toThrow('redis-server did not start')
  expect(await readdir(within)).toEqual([])
})

describeWithRedis('a Redis of the playground’s own', () => {
  test('can be made unreachable, keeps its data, and removes its folder at the end', async (t) => {
    const within = await temporaryFolder(t)
    const redis = await startOwnRedis('redis-server', within)
    t.onTestFinished(redis.stop)
    const options = { maxRetriesPerRequest: 0, retryStrategy: () => null, lazyConnect: true }
    const client = () => {
      const one = new Redis(redis.url, options).on('error', () => undefined)
      t.onTestFinished(() => one.disconnect())
      return one
    }
    await client().set('a', 'kept')
    const there = client()
    expect(await there.get('a')).toBe('kept')
    redis.setGone(true)
    await expect(there.get('a')).rejects.toThrow()
    await expect(client().get('a')).rejects.toThrow()
    redis.setGone(false)
    expect(await client().get('a')).toBe('kept')
    await redis.stop()
    await expect(client().get('a')).rejects.toThrow()
    expect(await readdir(within)).toEqual([])
  })

  test('may be lost during a run and before a question: each is answered once when it is back', async (t) => {
    const env = { PLAYGROUND_PORT: '0', LOG_LEVEL: 'silent', REDIS_URL: 'redis://127.0.0.1:1' }
    const { slack, stop } = await startPlayground(env, { paceMs: 60, startRedis: startOwnRedis })
    t.onTestFinished(stop)
    const shown = (thread: string) => slack.replies(GENERAL, thread).map((one) => slack.shown(one))
    const endings = (thread: string) => shown(thread).filter((text) => /^Show work$/m.test(text))
    const { thread: running } = await slack.mention('What is 29 to the power 0.23, and half of it?')
    await slack.until(() => shown(running).length > 0, 'a step')
    slack.faultSwitches.set('redisGone', { isOn: true })
    const [asked] = await Promise.all([
      slack.mention('What is 2+2?'),
      new Promise((resolve) => setTimeout(resolve, 1_500)),
    ])
    expect(endings(asked.thread)).toEqual([])
    slack.faultSwitches.clear()
    await slack.until(() => endings(running).length > 0, 'the answer of the run', 60_000)
    const [delivery] = asked.deliveries
    await delivery?.first
    // Events that could not be stored were not acked, so Slack delivers them until they are.
    await slack.until(async () => {
      const isAcked = delivery?.attempts.some(({ status }) => status === 200)
      return isAcked || (delivery && (await slack.redeliver(delivery)).status === 200)
    }, 'an ack')
    await slack.until(() => endings(asked.thread).length > 0, 'the answer to the question', 60_000)
    await slack.settle(500)
    expect([endings(running), endings(asked.thread)].map(({ length }) => length)).toEqual([1, 1])
    expect(slack.refusals).toEqual([])
  }, 240_000)
})
