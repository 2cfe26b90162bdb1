/** Fair use through the whole bot: who is over a limit is told so privately, and nothing else happens. */
import { Redis } from 'ioredis'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startBot as startRealBot } from '../src/bot.ts'
import { loadConfig, type Env } from '../src/config.ts'
import { createLog } from '../src/log.ts'
import { ALICE, BOB, GENERAL, RANDOM } from '../src/playground/slack.ts'
import { envFor, startBot, type TestBot } from './harness/bot.ts'
import { fileEnds, type Ends } from './harness/ends.ts'
import { finish, type Turn } from './harness/played-model.ts'
import { describeWithRedis, startRedis, type RedisServer } from './harness/redis.ts'
import { deferred } from './harness/stores.ts'

const ends = fileEnds()
const dir = await mkdtemp(join(tmpdir(), 'thinkaloud-limits-'))
ends.onTestFinished(() => rm(dir, { recursive: true }))
const PRICES_FILE = join(dir, 'prices.json')
await writeFile(PRICES_FILE, JSON.stringify({ 'played-model': { in: 10, out: 100 } }))

/** An answer of 900 tokens in and 100 out: 0.019 dollars by the prices above. */
const ANSWER: Turn = { text: finish('Here you are.'), usage: { prompt_tokens: 900, completion_tokens: 100 } }

interface Case {
  env: Env
  /** The sentence that the next one reads. */
  says: RegExp
  /** Who is over the limit after Alice's question in #general, and who is not. */
  over: Who
  free?: Who
}
type Who = { user: string; channel: string }

const aliceElsewhere = { user: ALICE, channel: RANDOM }
const bobElsewhere = { user: BOB, channel: RANDOM }
const bobHere = { user: BOB, channel: GENERAL }

const CASES: Case[] = [
  {
    env: { LIMIT_USER_HOUR: '1' },
    says: /1 question an hour for one person.* in \d+ minutes/,
    over: aliceElsewhere,
    free: bobHere,
  },
  {
    env: { LIMIT_CHANNEL_HOUR: '1' },
    says: /1 question an hour for one channel.* in \d+ minutes/,
    over: bobHere,
    free: aliceElsewhere,
  },
  { env: { LIMIT_TEAM_DAY: '1' }, says: /1 question a day for the workspace.* in 24 hours/, over: bobElsewhere },
  {
    env: { BUDGET_USER_DAY_TOKENS: '600' },
    says: /600 tokens a day for one person.* in 1[67] hours/,
    over: aliceElsewhere,
    free: bobHere,
  },
  {
    env: { BUDGET_TEAM_DAY_TOKENS: '1000' },
    says: /1,000 tokens a day for the workspace.* in 2 minutes/,
    over: bobElsewhere,
  },
  {
    env: { BUDGET_TEAM_DAY_USD: '0.01', PRICES_FILE },
    says: /\$0.01 a day for the workspace.* in 22 hours/,
    over: bobElsewhere,
  },
]

/** Asks, and waits until the bot has said its private word; nothing else may come of it. */
async function refused(bot: TestBot, who: Who): Promise<string> {
  const { slack, model } = bot
  const before = { whispers: slack.whispers(who.channel, who.user).length, requests: model.requests.length }
  const thread = await bot.mention('One more?', who)
  const whisper = await slack.until(() => slack.whispers(who.channel, who.user)[before.whispers], 'a private word')
  await slack.settle(100)
  expect(thread.shown()).toEqual([])
  expect(thread.isAtRest()).toBe(true)
  expect(model.requests).toHaveLength(before.requests)
  return whisper
}

async function answered(bot: TestBot, who: Who = { user: ALICE, channel: GENERAL }): Promise<void> {
  expect(await (await bot.mention('Just this?', who)).lastAnswer()).toBe('Here you are.')
}

function limitsHold(redisEnv: (prefix: string) => Env): void {
  test.for(CASES)('$env', async ({ env, says, over, free }, t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { ...env, ...redisEnv(Object.keys(env)[0]!) } })
    await answered(bot)
    const sentence = await refused(bot, over)
    expect(sentence).toMatch(says)
    expect(sentence).toMatch(/^The limit here is .*, and it is reached\. .* This question was not counted\.$/)
    if (free) await answered(bot, free)
    expect(bot.slack.refusals).toEqual([])
  })
}

describe.concurrent('in memory, over a limit there is a private sentence and nothing else', () => {
  limitsHold(() => ({}))
})

describe.concurrent('the private sentence', () => {
  test('stands in the channel under a first question, and in the thread under a reply', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '1' } })
    const thread = await bot.mention('Just this?')
    await thread.ended()
    await refused(bot, { user: ALICE, channel: GENERAL })
    await thread.reply('And that?')
    const calls = () => bot.slack.calls.filter(({ method }) => method === 'chat.postEphemeral')
    await bot.slack.until(() => calls().length === 2, 'the second refusal')
    expect(calls().map(({ args }) => args['thread_ts'])).toEqual([undefined, thread.ts])
    expect(thread.shown()).toHaveLength(1)
  })

  test('answers /ask by its response_url, and no root is posted', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '1' } })
    await (await bot.ask('Just this?')).ended()
    const posted = bot.slack.messages(GENERAL).length
    expect((await bot.slack.slash('And that?')).ok).toBe(true)
    const [whisper] = await bot.slack.until(() => filled(bot.slack.whispers(GENERAL, ALICE)), 'a private word')
    expect(whisper).toContain('1 question an hour for one person')
    await bot.slack.settle(100)
    expect(bot.slack.messages(GENERAL)).toHaveLength(posted)
    expect(bot.slack.calls.filter(({ method }) => method === 'chat.postEphemeral')).toEqual([])
    expect(bot.model.requests).toHaveLength(1)
  })

  test('comes in a direct message too', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_TEAM_DAY: '1' } })
    await (await bot.dm('Just this?')).ended()
    const thread = await bot.dm('And that?')
    await bot.slack.until(() => filled(bot.slack.whispers(thread.channel, ALICE)), 'a private word')
    expect(thread.shown()).toEqual([])
  })

  test('that Slack does not take is lost: nothing is said in public, and nothing is answered', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '1' } })
    await answered(bot)
    bot.slack.fault({ method: 'chat.postEphemeral', error: 'user_not_in_channel', times: 9 })
    const thread = await bot.mention('And that?')
    await bot.slack.until(() => bot.logs.some((line) => line.includes('the asker could not be told')), 'the log line')
    await bot.slack.settle(100)
    expect([thread.shown(), bot.model.requests.length]).toEqual([[], 1])
  })
})

describe.concurrent('what is not counted', () => {
  test('a question that is delivered again and again', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '2' } })
    const thread = await bot.mention('Just this?')
    await thread.ended()
    for (const delivery of [...thread.said.deliveries, ...thread.said.deliveries]) await bot.slack.redeliver(delivery)
    await answered(bot)
    expect(await refused(bot, bobless)).toContain('2 questions an hour')
  })

  test('a mention without words, a help, a stranger’s thread', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '1' } })
    await bot.mention('')
    await bot.slack.slash('help')
    const stranger = await bot.slack.say({ text: 'Lunch?' })
    await bot.slack.say({ text: 'Me!', thread_ts: stranger.ts })
    await bot.slack.settle(100)
    await answered(bot)
  })

  test('condensing is no question of its own, but its tokens are', async (t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { LIMIT_USER_HOUR: '9', BUDGET_USER_DAY_TOKENS: '2500' } })
    bot.model.condenses('And that?', { text: 'And that one?', usage: { prompt_tokens: 900, completion_tokens: 100 } })
    const thread = await bot.mention('Just this?')
    await thread.ended()
    await thread.reply('And that?')
    await thread.ended()
    expect(await refused(bot, bobless)).toContain('2,500 tokens')
  })
})

const bobless = { user: ALICE, channel: RANDOM }

describe.concurrent('LIMIT_TEAM_RUNS', () => {
  const env = { LIMIT_TEAM_RUNS: '1' }

  test('bars a second question while one is at work, whoever asks, and lets it in afterwards', async (t) => {
    const bot = await startBot(t, { env })
    const gate = deferred()
    bot.model.decide('slow', async () => (await gate.promise, ANSWER))
    bot.model.on('Just this', ANSWER)
    const slow = await bot.mention('A slow one?')
    await bot.slack.until(() => bot.model.requests.length === 1, 'the model at work')
    const sentence = await refused(bot, bobElsewhere)
    expect(sentence).toMatch(/1 question of the workspace at once.*Please ask again when one of them is done/)
    gate.resolve()
    await slow.ended()
    await eventuallyAnswered(bot)
  })

  test('a /ask holds one place from its root to its answer', async (t) => {
    const bot = await startBot(t, { env, model: [ANSWER] })
    await (await bot.ask('Just this?')).ended()
    await eventuallyAnswered(bot)
  })

  test('a model that fails gives the place back', async (t) => {
    const bot = await startBot(t, { env })
    bot.model.on('fails', { status: 401 })
    bot.model.on('Just this', ANSWER)
    expect(await (await bot.mention('This fails?')).ended()).toMatch(/Reference: /)
    await eventuallyAnswered(bot)
  })

  test('a /ask that cannot be answered where it was asked gives the place back', async (t) => {
    const bot = await startBot(t, { env, model: [ANSWER] })
    bot.slack.addChannel('G0PRIVATE01', { members: new Set([ALICE]) })
    await bot.slack.slash('Anybody?', { channel: 'G0PRIVATE01' })
    await bot.slack.until(() => filled(bot.slack.whispers('G0PRIVATE01', ALICE)), 'a private word')
    await eventuallyAnswered(bot)
  })

  test('a question that is given up gives the place back', async (t) => {
    const bot = await startBot(t, { env })
    bot.model.on('fails', { status: 401 })
    bot.model.on('Just this', ANSWER)
    bot.slack.fault({ method: 'chat.postMessage', channel: RANDOM, error: 'is_archived', times: 99 })
    await bot.mention('This fails?', { channel: RANDOM })
    await bot.slack.until(() => bot.logs.some((line) => line.includes('question given up')), 'giving up', 20_000)
    await eventuallyAnswered(bot)
  })
})

/** The place is free a moment after the answer has been read. */
async function eventuallyAnswered(bot: TestBot): Promise<void> {
  const attempt = async () => {
    const thread = await bot.mention('Just this?')
    await bot.slack.settle(100)
    return thread.endings().length > 0
  }
  await bot.slack.until(attempt, 'an answer')
}

/** The list, once something is in it. */
function filled<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined
}

describeWithRedis('in Redis', async () => {
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())
  const redisEnv = (prefix: string): Env => ({ REDIS_URL: server.url, REDIS_PREFIX: prefix })

  describe.concurrent('over a limit there is a private sentence and nothing else', () => {
    limitsHold(redisEnv)
  })

  test('two bots that share it count together', async (t) => {
    const first = await startBot(t, { model: [ANSWER], env: { ...redisEnv('two'), LIMIT_USER_HOUR: '3' } })
    const second = await secondBot(t, first, { ...redisEnv('two'), LIMIT_USER_HOUR: '3' })
    for (let n = 0; n < 8; n++) {
      first.slack.setTarget(`http://127.0.0.1:${n % 2 ? first.bot.port : second.port}/slack/events`)
      await first.mention(`Question ${n}?`)
    }
    await first.slack.until(() => first.slack.whispers(GENERAL, ALICE).length === 5, 'five private words')
    await first.slack.settle(200)
    expect(first.slack.messages(GENERAL).filter(({ bot_id }) => bot_id)).toHaveLength(3)
  })

  test('a question that another process goes on with is counted, and its tokens booked, once', async (t) => {
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
    expect(await refused(first, bobless)).toContain('2 questions an hour')
  })

  test('every key of it expires, and belongs to its workspace', async (t) => {
    const env = Object.assign({}, ...CASES.map(({ env }) => env)) as Env
    const roomy = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, name === 'PRICES_FILE' ? value : '50']),
    )
    const bot = await startBot(t, { model: [ANSWER], env: { ...redisEnv('keys'), ...roomy, LIMIT_TEAM_RUNS: '5' } })
    await answered(bot)
    const redis = connected(t, server)
    const keys = (await redis.keys('keys:*')).filter((key) => key.includes(':limit:'))
    expect(keys.every((key) => key.startsWith('keys:{T0LOCAL0001}:limit:'))).toBe(true)
    expect(keys.map((key) => key.split(':limit:')[1]?.split(':')[0])).toEqual(
      expect.arrayContaining([
        'question',
        'userHour',
        'channelHour',
        'teamDay',
        'userDayTokens',
        'teamDayTokens',
        'teamDayUsd',
      ]),
    )
    for (const key of keys) expect(await redis.pttl(key), key).toBeGreaterThan(0)
  })

  test.for([
    [{}, 0],
    [{ LIMIT_USER_HOUR: '9', LIMIT_TEAM_DAY: '9', BUDGET_TEAM_DAY_TOKENS: '1000000', LIMIT_TEAM_RUNS: '9' }, 2],
  ] as const)('with %o a question takes %i commands for it', async ([env, commands], t) => {
    const bot = await startBot(t, { model: [ANSWER], env: { ...redisEnv(`commands${commands}`), ...env } })
    await answered(bot)
    const redis = connected(t, server)
    // The log of slow commands, told to take every command for slow, has them with their arguments.
    await redis.config('SET', 'slowlog-log-slower-than', '0')
    await redis.config('SET', 'slowlog-max-len', '5000')
    await redis.call('SLOWLOG', 'RESET')
    await answered(bot)
    await bot.slack.settle(200)
    const log = (await redis.call('SLOWLOG', 'GET', '-1')) as [number, number, number, string[]][]
    const seen = log.filter(([, , , words]) =>
      words.some((word) => word.startsWith(`commands${commands}:{T0LOCAL0001}:limit:`)),
    )
    // What the scripts do inside stands there too.
    expect(seen.filter(([, , , [command]]) => command === 'evalsha')).toHaveLength(commands)
    expect(seen.length > 0).toBe(commands > 0)
  })
})

function connected(t: Ends, server: RedisServer): Redis {
  const redis = new Redis(server.url)
  t.onTestFinished(() => redis.disconnect())
  return redis
}

/** Another process's bot on the same Slack, model and Redis. */
async function secondBot(t: Ends, { slack, model, wiki }: TestBot, env: Env) {
  const config = loadConfig({ ...envFor({ slack, model, wiki }), SHUTDOWN_MS: '1000', ...env }, { serves: true })
  const bot = await startRealBot(config, { log: createLog('silent') })
  t.onTestFinished(() => bot.stop())
  return bot
}
