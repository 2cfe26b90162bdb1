/**
 * The messages at the start about a Redis that answers but cannot be used, and the bot after Redis took a permission
 * away.
 */
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { startBot } from '../../../src/bot.ts'
import { createLog } from '../../../src/base/log.ts'
import { loadConfig } from '../../../src/config.ts'
import { startLocalSlack } from '../../../playground/slack/slack.ts'
import { until } from '../../../playground/base/until.ts'
import { envFor } from '../../harness/bot.ts'
import { startCommand } from '../../harness/command.ts'
import type { Ends } from '../../harness/ends.ts'
import { playModel } from '../../harness/played-model.ts'
import { describeWithRedis, freePort, startRedis } from '../../harness/redis.ts'

async function envWith(t: Ends, redis: string) {
  const slack = await startLocalSlack()
  t.onTestFinished(() => slack.close())
  const port = String(await freePort())
  return { ...envFor({ slack, model: await playModel(t) }, 'http'), PORT: port, REDIS_URL: redis }
}

async function launch(t: Ends, redis: string) {
  const env = await envWith(t, redis)
  return { port: env.PORT, bot: startCommand(t, 'src/main.ts', { env: { ...env, LOG_LEVEL: 'info' } }) }
}

/** Starts the bot in this process. */
async function start(t: Ends, redis: string, log = createLog('silent')) {
  const env = await envWith(t, redis)
  return { port: env.PORT, bot: await startBot(loadConfig(env, { serves: true }), { log }) }
}

async function redisWith(t: Ends, settings: string[]) {
  const server = await startRedis(settings)
  t.onTestFinished(() => server.stop())
  return server
}

const userWithout = (...rights: string[]) => ['--user', 'bot', 'on', '>sesame', '~*', '&*', '+@all', ...rights]

describeWithRedis('npm start', { timeout: 120_000 }, () => {
  test('ends with one sentence if Redis cannot be used', async (t) => {
    const server = await redisWith(t, userWithout('-info'))
    const { bot } = await launch(t, server.url.replace('://', '://bot:sesame@'))
    expect((await bot.ended).code).toBe(1)
    expect(bot.stderr()).toMatch(/^[^\n]*refuses INFO: NOPERM.*\+info[^\n]*\n$/)
    expect(bot.stdout()).not.toContain('is ready')
  })

  test.for<[what: string, settings: () => Promise<string[]>, sentence: RegExp]>([
    ['whose user lacks INFO', async () => userWithout('-info'), /refuses INFO: NOPERM.*\+info/],
    [
      'whose user lacks a command of the queue',
      async () => userWithout('-bzpopmin'),
      /lacks a permission: .*\+bzpopmin/,
    ],
    [
      'whose user may use no channels',
      async () => ['--user', 'bot', 'on', '>sesame', '~*', 'resetchannels', '+@all'],
      /lacks a permission: .*&thinkaloud:\*/,
    ],
    ['whose user lacks streams', async () => userWithout('-@stream'), /lacks a permission: .*\+xadd/],
    [
      'that is a node of a Cluster',
      async () => ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
      /redis\+cluster:\/\//,
    ],
    ['that is a replica', async () => ['--replicaof', '127.0.0.1', String(await freePort())], /It is a replica/],
  ])('with a Redis %s is refused in one sentence', async ([, settings, sentence], t) => {
    const server = await redisWith(t, await settings())
    const hasUser = (await settings()).includes('--user')
    const started = start(t, hasUser ? server.url.replace('://', '://bot:sesame@') : server.url)
    const message = expect.stringMatching(sentence)
    await expect(started).rejects.toMatchObject({ name: 'ConfigError', message })
    await expect(started).rejects.not.toThrow('\n')
  })

  test('warns about a Redis that evicts keys, and continues', async (t) => {
    const server = await redisWith(t, ['--maxmemory-policy', 'allkeys-lru'])
    const lines: string[] = []
    const { bot } = await start(t, server.url, createLog('info', { write: (line) => void lines.push(line) }))
    await bot.stop()
    expect(lines.join('')).toMatch(/maxmemory-policy is allkeys-lru\. Set it to noeviction/)
  })

  test.for(['-info', '-evalsha', '-bzpopmin'])(
    'keeps answering /healthz and stops when the user loses %s while it runs',
    async (right, t) => {
      const server = await redisWith(t, userWithout())
      const { bot, port } = await start(t, server.url.replace('://', '://bot:sesame@'))
      const admin = new Redis(server.url)
      t.onTestFinished(() => admin.disconnect())
      await admin.acl('SETUSER', 'bot', right)
      await admin.client('KILL', 'USER', 'bot')
      await until(async () => String(await admin.client('LIST')).includes('user=bot'), 'the bot to reconnect', 30_000)
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
      await bot.stop()
    },
  )
})
