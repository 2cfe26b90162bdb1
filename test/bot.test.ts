/** A bot as an operator sees it: the line at its start, the sentence if it does not start, /readyz. */
import { describe, expect, test } from 'vitest'
import { startBot as startRealBot } from '../src/bot.ts'
import { loadConfig, type Env } from '../src/config.ts'
import { createLog } from '../src/base/log.ts'
import { startLocalSlack } from '../playground/slack/slack.ts'
import { envFor, startBot } from './harness/bot.ts'
import { fileEnds } from './harness/ends.ts'
import { playModel } from './harness/played-model.ts'
import { describeWithRedis, freePort, startRedis } from './harness/redis.ts'
import { eventually } from './harness/stores.ts'

const ends = fileEnds()

/** Starts a bot with these settings, on a Slack and a model that nobody uses. */
const start = await (async () => {
  const slack = await startLocalSlack()
  ends.onTestFinished(() => slack.close())
  const model = await playModel(ends)
  return (env: Env) => {
    const config = loadConfig({ ...envFor({ slack, model }), SHUTDOWN_MS: '1000', ...env }, { serves: true })
    return startRealBot(config, { log: createLog('silent') })
  }
})()

const statusOf = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status

describeWithRedis.concurrent('with a Redis', async () => {
  const server = await startRedis(['--requirepass', 'open sesame'])
  ends.onTestFinished(() => server.stop())
  const url = `redis://:open%20sesame@127.0.0.1:${server.port}`

  test.for([
    ['front', 'HTTP at /slack/events', 401],
    ['worker', 'answering questions from the fronts', 404],
    ['all', 'HTTP at /slack/events', 401],
  ] as const)(
    'ROLE=%s says that it is %s, and meets a stranger at its door with %i',
    async ([role, way, status], t) => {
      const bot = await start({ REDIS_URL: url, ROLE: role, PORT: String(await freePort()) })
      t.onTestFinished(() => bot.stop())
      const memory = 'conversations and work are kept in Redis'
      expect(bot.summary).toBe(`Thinkaloud is ready: ${way}, port ${bot.port}, model played-model; ${memory}.`)
      const knock = await fetch(`http://127.0.0.1:${bot.port}/slack/events`, { method: 'POST', body: '{}' })
      expect(knock.status).toBe(status)
    },
  )

  test.for<[what: string, env: () => Promise<Env>, sentence: RegExp]>([
    [
      'wants another password',
      async () => ({ REDIS_URL: url.replace('open', 'shut') }),
      /^Redis does not accept the user or password in REDIS_URL \(WRONGPASS\)\.$/,
    ],
    [
      'wants another password, in a Cluster',
      async () => ({ REDIS_URL: url.replace('open', 'shut').replace('redis:', 'redis+cluster:') }),
      /^Redis does not accept the user or password in REDIS_URL \(WRONGPASS\)\.$/,
    ],
    [
      'wants a password',
      async () => ({ REDIS_URL: `redis://127.0.0.1:${server.port}` }),
      /^Redis requires a password \(NOAUTH\)\. Add it to REDIS_URL/,
    ],
    [
      'is not there',
      async () => ({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` }),
      /^Cannot connect to Redis at 127\.0\.0\.1:\d+ \(REDIS_URL\): connection refused\.$/,
    ],
    [
      'is no Cluster',
      async () => ({ REDIS_URL: url.replace('redis:', 'redis+cluster:') }),
      /^Cannot connect to Redis at 127\.0\.0\.1:\d+ \(REDIS_URL\): ERR This instance has cluster support disabled\.$/,
    ],
  ])('a start with one that %s ends with a sentence, which has no password in it', async ([, env, sentence]) => {
    const failure = await start(await env()).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'ConfigError', message: expect.stringMatching(sentence) })
    expect(String(failure)).not.toContain('sesame')
  })
})

describeWithRedis('/readyz', () => {
  test('is 503 while Redis is away, and 200 again when it is back; /healthz is 200 throughout', async (t) => {
    const server = await startRedis()
    t.onTestFinished(() => server.stop())
    const { bot } = await startBot(t, { env: { REDIS_URL: server.url, METRICS_PORT: '0' } })
    const both = (path: string) => Promise.all([bot.port, bot.metricsPort!].map((port) => statusOf(port, path)))
    await eventually(async () => expect(await both('/readyz')).toEqual([200, 200]))
    await server.kill()
    await eventually(async () => expect(await both('/readyz')).toEqual([503, 503]))
    const said = await fetch(`http://127.0.0.1:${bot.port}/readyz`)
    expect(await said.text()).toBe('not ready: Redis is unreachable or refuses writes\n')
    expect(await both('/healthz')).toEqual([200, 200])
    await server.restart()
    await eventually(async () => expect(await both('/readyz')).toEqual([200, 200]))
  })
})

describe('without a Redis', () => {
  test('it says that what it keeps is lost when it ends, and what to set', async (t) => {
    const bot = await start({ PORT: String(await freePort()) })
    t.onTestFinished(() => bot.stop())
    expect(bot.summary).toMatch(/in memory and lost when it stops \(set REDIS_URL to keep them\)\.$/)
  })
})
