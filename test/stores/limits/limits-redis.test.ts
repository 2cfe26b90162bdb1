/** Fair use across all processes that share a Redis. */
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { ALICE, GENERAL } from '../../../playground/slack/slack.ts'
import type { Env } from '../../../src/config.ts'
import { secondBot, startBot } from '../../harness/bot.ts'
import { fileEnds, type Ends } from '../../harness/ends.ts'
import {
  aliceElsewhere,
  ANSWER,
  answered,
  budgetHoldsForManyAtOnce,
  casesOf,
  limitsHold,
  pricesFile,
  refused,
} from '../../harness/limits.ts'
import { describeWithRedis, startRedis, type RedisServer } from '../../harness/redis.ts'
import { atRest, deferred, eventually } from '../../harness/stores.ts'

const ends = fileEnds()
const CASES = casesOf(await pricesFile(ends))

describeWithRedis.concurrent('in Redis', async () => {
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())
  const redisEnv = (prefix: string): Env => ({ REDIS_URL: server.url, REDIS_PREFIX: prefix })

  describe('over a limit the asker gets an ephemeral sentence only', () => {
    // fair-use.test.ts checks every limit in Redis, limits.test.ts through the bot.
    limitsHold(
      CASES.filter(({ env }) => env['LIMIT_USER_HOUR'] ?? env['BUDGET_TEAM_DAY_USD'] === '0.01'),
      redisEnv,
    )
  })

  test('concurrent questions do not all spend the same budget', (t) => budgetHoldsForManyAtOnce(t, redisEnv('many')))

  test('two bots that share it count together', async (t) => {
    const first = await startBot(t, { model: [ANSWER], env: { ...redisEnv('two'), LIMIT_USER_HOUR: '3' } })
    const second = await secondBot(t, first, { ...redisEnv('two'), LIMIT_USER_HOUR: '3' })
    for (let n = 0; n < 8; n++) {
      first.slack.setTarget(`http://127.0.0.1:${n % 2 ? first.bot.port : second.port}/slack/events`)
      await first.mention(`Question ${n}?`)
    }
    await first.slack.until(() => first.slack.ephemerals(GENERAL, ALICE).length === 5, 'five private words')
    await first.slack.settle(200)
    expect(first.slack.messages(GENERAL).filter(({ bot_id }) => bot_id)).toHaveLength(3)
  })

  test('a dead-lettered question frees its slot, and is kept', async (t) => {
    const bot = await startBot(t, { env: { ...redisEnv('given-up'), LIMIT_TEAM_RUNS: '1' }, model: [ANSWER] })
    bot.slack.fault({ method: 'chat.*', error: 'token_revoked', times: 999 })
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    const states = async () => {
      const keys = await redis.keys('given-up:*:run:*')
      return (await Promise.all(keys.map((key) => redis.hget(key, 'state')))).toSorted()
    }
    const thread = await bot.mention('Is anybody there?')
    await eventually(async () => expect(await states()).toEqual(['dead-lettered']))
    bot.slack.clearFaults()
    const next = await bot.mention('Just this?')
    expect(await next.lastAnswer()).toBe('Here you are.')
    expect(thread.messages().filter(({ bot_id }) => bot_id)).toEqual([])
    await eventually(async () => expect(await states()).toEqual(['dead-lettered', 'done']))
  })

  test('a resumed question and its tokens count once', async (t) => {
    const env = { ...redisEnv('resumed'), LIMIT_USER_HOUR: '2', BUDGET_USER_DAY_TOKENS: '2500', SHUTDOWN_MS: '0' }
    const first = await startBot(t, { env })
    const gate = deferred()
    first.model.decide('', async (_, n) => (n > 0 ? ANSWER : (await gate.promise, ANSWER)))
    const thread = await first.mention('Just this?')
    await first.slack.until(() => first.model.requests.length === 1, 'the model at work')
    await first.stop()
    gate.resolve()
    const second = await secondBot(t, first, env)
    first.slack.setTarget(`http://127.0.0.1:${second.port}/slack/events`)
    expect(await thread.lastAnswer()).toBe('Here you are.')
    await answered(first)
    expect(await refused(first, aliceElsewhere)).toContain('2 questions an hour')
  })

  test('every key of it expires, and belongs to its workspace', async (t) => {
    const env = Object.assign({}, ...CASES.map(({ env }) => env)) as Env
    const roomy = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, name === 'PRICES_FILE' ? value : '50']),
    )
    const bot = await startBot(t, { model: [ANSWER], env: { ...redisEnv('keys'), ...roomy, LIMIT_TEAM_RUNS: '5' } })
    await answered(bot)
    const redis = connected(t, server)
    const kept = async () => (await redis.keys('keys:*')).filter((key) => key.includes(':limit:'))
    await eventually(async () =>
      expect((await kept()).map((key) => key.split(':limit:')[1]?.split(':')[0])).toEqual(
        expect.arrayContaining([
          'question',
          'userHour',
          'channelHour',
          'userDayTokens',
          'teamDayTokens',
          'teamDayUsd',
          'mean',
        ]),
      ),
    )
    await atRest(async () => (await kept()).length)
    const keys = await kept()
    expect(keys.every((key) => key.startsWith('keys:{T0LOCAL0001}:limit:'))).toBe(true)
    for (const key of keys) expect(await redis.pttl(key), key).toBeGreaterThan(0)
  })

  test.for([
    [{}, 0],
    [{ LIMIT_USER_HOUR: '9', BUDGET_TEAM_DAY_TOKENS: '1000000', LIMIT_TEAM_RUNS: '9' }, 2],
  ] as const)('with %o a question takes %i commands for it', async ([env, commands], t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { ...redisEnv(`commands${commands}`), ...env } })
    await answered(bot)
    const redis = connected(t, server)
    // The slow log, with a threshold of 0, records all commands with their arguments.
    await redis.config('SET', 'slowlog-log-slower-than', '0')
    await redis.config('SET', 'slowlog-max-len', '20000')
    const key = `commands${commands}:{T0LOCAL0001}:limit:`
    const logged = async () => {
      const log = (await redis.call('SLOWLOG', 'GET', '-1')) as [number, number, number, string[]][]
      return log.map((entry) => entry[3]).filter((words) => words.some((word) => word.startsWith(key)))
    }
    const count = async () => (await logged()).length
    const before = await atRest(count)
    await answered(bot)
    await atRest(count)
    const seen = (await logged()).slice(0, -before || undefined)
    // It also contains the commands inside scripts.
    expect(seen.filter(([command]) => command === 'evalsha')).toHaveLength(commands)
    expect(seen.length > 0).toBe(commands > 0)
  })
})

function connected(t: Ends, server: RedisServer): Redis {
  const redis = new Redis(server.url)
  t.onTestFinished(() => redis.disconnect())
  return redis
}
