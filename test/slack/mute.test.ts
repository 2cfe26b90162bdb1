/** Answers in a thread without a mention: `mute`, `unmute`, and how people learn of them. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { secondBot, startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'

const HINT = /· Reply to follow up · `mute` to stop automatic replies$/m

async function start(t: Ends, env: Record<string, string> = {}): Promise<TestBot> {
  const bot = await startBot(t, { env })
  bot.model.condenses('', 'And then?')
  bot.model.on('', finish('So it is.'))
  return bot
}

async function asked(bot: TestBot) {
  const thread = await bot.mention('What is it?')
  await thread.ended()
  return thread
}

/** Posts the word, and waits for the bot's reaction to it. */
async function saysWord(bot: TestBot, thread: Awaited<ReturnType<typeof asked>>, word: string) {
  const { ts } = await bot.slack.say({ channel: GENERAL, thread_ts: thread.ts, text: word, user: BOB })
  const reactions = () => bot.slack.reactions(GENERAL, ts).map(({ name }) => name)
  await bot.slack.until(() => reactions().length > 0, `a reaction to ${word}`)
  return reactions()
}

describe('in a muted thread', () => {
  test.for(['mute', 'Mute.', 'MUTE !!', `<@${BOT_USER}> mute`])('(%s) mentions alone are answered', async (word, t) => {
    const bot = await start(t)
    const thread = await asked(bot)
    expect(await saysWord(bot, thread, word)).toEqual(['mute'])
    await bot.slack.say({ channel: GENERAL, thread_ts: thread.ts, text: 'And then?' })
    await bot.slack.settle()
    expect(thread.endings()).toHaveLength(1)
    await thread.reply(`<@${BOT_USER}> and then?`)
    await thread.ended()
    expect(thread.endings()).toHaveLength(2)
  })

  test('unmute makes follow-ups answered again', async (t) => {
    const bot = await start(t)
    const thread = await asked(bot)
    await saysWord(bot, thread, 'mute')
    expect(await saysWord(bot, thread, 'Unmute')).toEqual(['loud_sound'])
    await thread.reply('And then?')
    expect(await thread.lastAnswer()).toMatch(/So it is/)
  })

  test('other threads are unaffected', async (t) => {
    const bot = await start(t)
    await saysWord(bot, await asked(bot), 'mute')
    const other = await asked(bot)
    await other.reply('And then?')
    await other.ended()
    expect(other.endings()).toHaveLength(2)
  })
})

describe('the word', () => {
  test('by a person who may not ask changes nothing', async (t) => {
    const bot = await start(t, { ALLOW_USERS: ALICE })
    const thread = await asked(bot)
    await bot.slack.say({ channel: GENERAL, thread_ts: thread.ts, text: 'mute', user: BOB })
    await bot.slack.settle()
    await thread.reply('And then?')
    await thread.ended()
    expect(thread.endings()).toHaveLength(2)
  })

  test('is ignored in a thread without the bot, and is a question in a direct message', async (t) => {
    const bot = await start(t)
    const { ts } = await bot.slack.say({ text: 'Shall we talk?' })
    await bot.slack.say({ thread_ts: ts, text: 'mute', user: BOB })
    await bot.slack.settle()
    expect(bot.slack.calls.filter(({ method }) => method === 'reactions.add')).toEqual([])
    expect(await (await bot.dm('mute')).lastAnswer()).toBe('So it is.')
  })

  test('within a sentence is a follow-up', async (t) => {
    const bot = await start(t)
    const thread = await asked(bot)
    await thread.reply('mute the video?')
    await thread.ended()
    expect(thread.endings()).toHaveLength(2)
  })
})

describe('the first answer of a thread', () => {
  test('says how to continue, and no later one does', async (t) => {
    const bot = await start(t)
    const thread = await asked(bot)
    await thread.reply('And then?')
    await thread.ended()
    expect(thread.endings().map((ending) => HINT.test(ending))).toEqual([true, false])
    const { ts } = await bot.slack.say({ text: 'Shall we talk?' })
    const later = await bot.mention('Shall we?', { thread_ts: ts })
    expect(await later.ended()).toMatch(HINT)
  })

  test('does not in a direct message, or if follow-ups need a mention', async (t) => {
    const bot = await start(t, { FOLLOW_UPS: 'mention' })
    expect(await (await bot.dm('What is it?')).ended()).not.toMatch(HINT)
    expect(await (await bot.mention('What is it?')).ended()).not.toMatch(HINT)
  })
})

describeWithRedis('with Redis', async () => {
  const ends = fileEnds()
  const { url, stop } = await startRedis()
  ends.onTestFinished(stop)

  test('a thread stays muted in a process that starts later', async (t) => {
    const bot = await start(t, { REDIS_URL: url })
    const thread = await asked(bot)
    await saysWord(bot, thread, 'mute')
    const { port } = await secondBot(t, bot, { REDIS_URL: url })
    bot.slack.setTarget(`http://127.0.0.1:${port}/slack/events`)
    await bot.slack.say({ channel: GENERAL, thread_ts: thread.ts, text: 'And then?' })
    await bot.slack.settle()
    expect(thread.endings()).toHaveLength(1)
  })
})
