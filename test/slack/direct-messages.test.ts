import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { secondBot, startBot, type TestBot, type TestBotOptions } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis, type RedisServer } from '../harness/redis.ts'

const ends = fileEnds()

/** Starts a bot whose Slack has a movable clock, and records the texts to condense. */
async function start(t: Ends, options: TestBotOptions = {}) {
  let ahead = 0
  const bot = await startBot(t, {
    ...options,
    mode: 'socket',
    slack: { ...options.slack, now: () => Date.now() + ahead },
  })
  const transcripts = () => bot.model.requests.filter(({ kind }) => kind === 'condense').map(({ prompt }) => prompt)
  return { ...bot, transcripts, later: (minutes: number) => void (ahead += minutes * 60_000) }
}

function plays({ model }: Pick<TestBot, 'model'>): void {
  model.on('wrote Dune', finish('Frank Herbert.'))
  model.condenses('was he born', 'When was Frank Herbert born?')
  model.on('Frank Herbert born', finish('In 1920.'))
  model.condenses('he die', 'When did Frank Herbert die?')
  model.on('Frank Herbert die', finish('In 1986.'))
  model.on('old is the sea', finish('Old.'))
}

const ALL = 'Q: Who wrote Dune?\nA: Frank Herbert.\nQ: When was Frank Herbert born?\nA: In 1920.'

function remembers(settings: () => TestBotOptions): void {
  test('a top-level question knows the earlier ones, and is answered in its own thread', async (t) => {
    const bot = await start(t, settings())
    plays(bot)
    const first = await bot.dm('Who wrote Dune?')
    expect(await first.lastAnswer()).toBe('Frank Herbert.')
    bot.later(55)
    const second = await bot.dm('When was he born?')
    expect(await second.lastAnswer()).toBe('_Understood as:_ When was Frank Herbert born?\nIn 1920.')
    expect(second.ts).toBe(second.said.ts)
    bot.later(55)
    const third = await bot.dm('When did he die?')
    expect(await third.lastAnswer()).toContain('In 1986.')
    expect(bot.transcripts().at(-1)).toContain(ALL)
    expect(bot.slack.refusals).toEqual([])
  })
}

describe('in memory', () => {
  remembers(() => ({}))

  test('after an hour a new conversation starts; a reply in an old thread still knows that thread', async (t) => {
    const bot = await start(t)
    plays(bot)
    const first = await bot.dm('Who wrote Dune?')
    await first.ended()
    const second = await bot.dm('When was he born?')
    await second.ended()
    bot.later(61)
    const fresh = await bot.dm('How old is the sea?')
    expect(await fresh.lastAnswer()).toBe('Old.')
    await second.reply('And when did he die?')
    expect(await second.lastAnswer()).toContain('In 1986.')
    expect(bot.transcripts()).toHaveLength(2)
    expect(bot.transcripts()[1]).toContain(ALL)
    expect(bot.transcripts()[1]).not.toContain('the sea')
  })

  test('conversations of different people are separate', async (t) => {
    const bot = await start(t)
    plays(bot)
    await (await bot.dm('Who wrote Dune?')).ended()
    await (await bot.dm('How old is the sea?', { user: BOB })).ended()
    await (await bot.mention('How old is the sea?')).ended()
    expect(bot.transcripts()).toEqual([])
  })

  test('a command there is a part of the conversation', async (t) => {
    const bot = await start(t)
    plays(bot)
    const channel = bot.slack.store.directChannel(ALICE).id
    const thread = await bot.ask('Who wrote Dune?', { channel })
    await thread.ended()
    await (await bot.dm('When was he born?')).ended()
    await thread.reply('And when did he die?')
    expect(await thread.lastAnswer()).toContain('In 1986.')
    expect(bot.transcripts().at(-1)).toContain(ALL)
  })

  test('DM_MEMORY_MINUTES=0: each question is separate, and its thread is remembered', async (t) => {
    const bot = await start(t, { env: { DM_MEMORY_MINUTES: '0' } })
    plays(bot)
    const first = await bot.dm('Who wrote Dune?')
    await first.ended()
    await (await bot.dm('How old is the sea?')).ended()
    expect(bot.transcripts()).toEqual([])
    await first.reply('When was he born?')
    expect(await first.lastAnswer()).toContain('In 1920.')
  })

  test('DM_MEMORY_MINUTES=5: six minutes are too long', async (t) => {
    const bot = await start(t, { env: { DM_MEMORY_MINUTES: '5' } })
    plays(bot)
    await (await bot.dm('Who wrote Dune?')).ended()
    bot.later(6)
    await (await bot.dm('How old is the sea?')).ended()
    expect(bot.transcripts()).toEqual([])
  })
})

describeWithRedis('in Redis', () => {
  let redis: RedisServer
  let count = 0
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())
  const env = () => ({ REDIS_URL: redis.url, REDIS_PREFIX: `dm${count++}` })
  remembers(() => ({ env: env() }))

  test('messages in quick succession are answered in order', async (t) => {
    const bot = await start(t, { env: env() })
    plays(bot)
    bot.model.decide('wrote Dune', async () => ({ text: finish('Frank Herbert.'), delayMs: 400 }))
    const threads = []
    // A busy machine may reorder deliveries, so each is awaited.
    for (const text of ['Who wrote Dune?', 'When was he born?', 'When did he die?']) {
      const thread = await bot.dm(text)
      await Promise.all(thread.said.deliveries.map(({ done }) => done))
      threads.push(thread)
    }
    for (const thread of threads) await thread.ended()
    expect(bot.transcripts().at(-1)).toContain(ALL)
  })

  test('several workers and a restart change nothing', async (t) => {
    const settings = env()
    const bot = await start(t, { env: { ...settings, ROLE: 'front' } })
    plays(bot)
    const workers = [
      await secondBot(t, bot, { ...settings, ROLE: 'worker' }),
      await secondBot(t, bot, { ...settings, ROLE: 'worker' }),
    ]
    await (await bot.dm('Who wrote Dune?')).ended()
    await (await bot.dm('When was he born?')).ended()
    for (const worker of workers) await worker.stop()
    await bot.stop()
    const heir = await secondBot(t, bot, settings)
    bot.slack.setTarget(`http://127.0.0.1:${heir.port}/slack/events`)
    await (await bot.dm('When did he die?')).ended()
    expect(bot.transcripts().at(-1)).toContain(ALL)
  })
})

/** Returns the help of `/ask help` for Alice. */
async function helpOf({ slack }: Pick<TestBot, 'slack'>, text = 'help'): Promise<string> {
  await slack.slash(text)
  return slack.until(() => slack.ephemerals(GENERAL, ALICE)[0], 'the help')
}

describe('help', () => {
  const HELP =
    /^I answer questions.*\n• In a channel: mention me.*\n• In the thread.*\n• In a direct message.*\n• `\/ask help`/s

  test.each(['help', 'HELP!', 'Help？', ' help ...'])(
    '%j is answered by mention and in a direct message',
    async (text) => {
      const bot = await start(ends, { env: { LIMIT_USER_HOUR: '1' } })
      for (const thread of [await bot.mention(text), await bot.dm(text)]) {
        await bot.slack.until(() => thread.shown().length > 0, 'help')
        await bot.slack.until(() => thread.isAtRest(), 'rest')
        expect(thread.shown()).toEqual([expect.stringMatching(HELP)])
      }
      expect(await helpOf(bot, text)).toMatch(HELP)
      expect(bot.slack.ephemerals(GENERAL, ALICE)).toHaveLength(1)
      expect(bot.model.requests).toEqual([])
      // It counts against no limit.
      bot.model.on('still free', finish('Yes.'))
      expect(await (await bot.mention('still free?')).lastAnswer()).toBe('Yes.')
      expect(bot.slack.refusals).toEqual([])
    },
  )
  test.each([
    ['replies', /: each reasoning step is a reply/],
    ['card', /: a message in the thread shows my reasoning/],
    ['stream', /: a message in the thread shows my reasoning/],
    ['hidden', /^I answer questions\. Press \*Show work\* below an answer/],
  ])('with STEPS=%s tells what is seen of the work', async (STEPS, seen) => {
    const bot = await start(ends, { env: { STEPS } })
    const help = await helpOf(bot)
    expect(help.split('\n')[0]).toMatch(seen)
    expect(help.includes('is a reply in the thread')).toBe(STEPS === 'replies')
  })

  test('lists every word that steers the bot', async (t) => {
    const bot = await start(t)
    const help = await helpOf(bot)
    const words = ['/ask settings', '/ask forget', '/ask private:', 'stop', 'mute', 'unmute']
    expect(words.filter((word) => !help.includes(`\`${word}`))).toEqual([])
  })

  test('reflects the settings', async (t) => {
    const bot = await start(t, { env: { FOLLOW_UPS: 'mention', DM_MEMORY_MINUTES: '0' } })
    const plain = await start(t)
    const [strict, usual] = [await helpOf(bot), await helpOf(plain)]
    expect(strict).toMatch(/thread of an answer: mention me again.*To follow up, reply in the thread/s)
    expect(usual).toMatch(/just reply, no mention needed.*within 60 minutes of each other/s)
  })

  test('a question that contains the word is a question', async (t) => {
    const bot = await start(t, { model: [finish('Gladly.')] })
    expect(await (await bot.dm('help me, please')).lastAnswer()).toBe('Gladly.')
  })
})

test('people talk to each other in a thread of the bot, and the bot is silent', async (t) => {
  const bot = await start(t)
  plays(bot)
  const thread = await bot.mention('Who wrote Dune?')
  await thread.ended()
  const asked = bot.model.requests.length
  for (const text of [`<@${BOB}> did you know?`, '👍', ':tada:', '!!!', '…'])
    await bot.slack.say({ thread_ts: thread.ts, text })
  await bot.slack.settle(200)
  expect([bot.model.requests.length, thread.shown().length]).toEqual([asked, 1])
  await thread.reply(`<@${BOB}> asks <@${BOT_USER}>: when was he born?`)
  expect(await thread.lastAnswer()).toContain('In 1920.')
})
