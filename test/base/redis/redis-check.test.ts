/** What the start says of a Redis that answers but cannot be used, and how the bot lives on when a right is taken away. */
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { startLocalSlack } from '../../../playground/slack/slack.ts'
import { until } from '../../../playground/base/until.ts'
import { envFor } from '../../harness/bot.ts'
import { startCommand } from '../../harness/command.ts'
import type { Ends } from '../../harness/ends.ts'
import { playModel } from '../../harness/played-model.ts'
import { describeWithRedis, freePort, startRedis } from '../../harness/redis.ts'

async function launch(t: Ends, redis: string) {
  const slack = await startLocalSlack()
  t.onTestFinished(() => slack.close())
  const port = await freePort()
  const env = { ...envFor({ slack, model: await playModel(t) }, 'http'), PORT: String(port), REDIS_URL: redis }
  return { port, bot: startCommand(t, 'src/main.ts', { env: { ...env, LOG_LEVEL: 'info' } }) }
}

async function redisWith(t: Ends, settings: string[]) {
  const server = await startRedis(settings)
  t.onTestFinished(() => server.stop())
  return server
}

const userWithout = (...rights: string[]) => ['--user', 'bot', 'on', '>sesame', '~*', '&*', '+@all', ...rights]

describeWithRedis('npm start', { timeout: 120_000 }, () => {
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
    ['that is a node of a Cluster', async () => ['--cluster-enabled', 'yes'], /redis\+cluster:\/\//],
    ['that is a replica', async () => ['--replicaof', '127.0.0.1', String(await freePort())], /It is a replica/],
  ])('with a Redis %s ends with one sentence', async ([, settings, sentence], t) => {
    const server = await redisWith(t, await settings())
    const hasUser = (await settings()).includes('--user')
    const { bot } = await launch(t, hasUser ? server.url.replace('://', '://bot:sesame@') : server.url)
    expect((await bot.ended).code).toBe(1)
    expect(bot.stderr()).toMatch(sentence)
    expect(bot.stderr().trim().split('\n')).toHaveLength(1)
    expect(bot.stdout()).not.toContain('is ready')
  })

  test('warns of a Redis that evicts, and goes on', async (t) => {
    const server = await redisWith(t, ['--maxmemory-policy', 'allkeys-lru'])
    const { bot } = await launch(t, server.url)
    await bot.shows(/is ready/)
    expect(bot.stdout() + bot.stderr()).toMatch(/maxmemory-policy is allkeys-lru\. Set it to noeviction/)
  })

  test.for(['-info', '-evalsha', '-bzpopmin'])(
    'keeps answering /healthz and SIGTERM when the user loses %s while it runs',
    async (right, t) => {
      const server = await redisWith(t, userWithout())
      const { bot, port } = await launch(t, server.url.replace('://', '://bot:sesame@'))
      await bot.shows(/is ready/)
      const admin = new Redis(server.url)
      t.onTestFinished(() => admin.disconnect())
      await admin.acl('SETUSER', 'bot', right)
      await admin.client('KILL', 'USER', 'bot')
      await until(async () => String(await admin.client('LIST')).includes('user=bot'), 'the bot to reconnect', 30_000)
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
      bot.signal('SIGTERM')
      expect((await bot.ended).code).toBe(0)
    },
  )
})
