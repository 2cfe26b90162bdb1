/** A reaction with the emoji of ASK_REACTION asks about the message. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import type { Env } from '../../src/config.ts'
import { loadConfig } from '../../src/config.ts'
import { secondBot, startBot, Thread, type TestBot } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { clip } from '../harness/said-files.ts'
import { strangers } from '../harness/slack-hands.ts'

const ON: Env = { ASK_REACTION: 'robot_face' }
const BOTH = { members: new Set([ALICE, BOB, BOT_USER]) }

async function asking(t: Ends, env: Env = ON): Promise<TestBot> {
  const bot = await startBot(t, { env })
  bot.model.on('What does this mean', finish('That the build is broken.'))
  return bot
}

function threadOf({ slack }: TestBot, ts: string, channel = GENERAL): Thread {
  const root = slack.messages(channel).find((one) => one.ts === ts)
  const thread = root?.thread_ts ?? ts
  return new Thread(slack, { ts: thread, thread, channel, deliveries: [] })
}

/** Resolves with the endings in the thread. `Thread.ended` waits until the root has no reaction, but people react here. */
async function endings({ slack }: TestBot, thread: Thread): Promise<string> {
  await slack.until(() => thread.endings().length > 0, 'an ending')
  return thread.endings().join()
}

const roots = (thread: Thread) => thread.shown().filter((text) => text.includes(' asked:'))

describe('the emoji of ASK_REACTION', () => {
  test('asks as the person who reacted, about what somebody else wrote', async (t) => {
    const bot = await asking(t)
    const { ts } = await bot.slack.say({ text: 'CI is red', user: BOB })
    await bot.slack.people.react({ channel: GENERAL, ts, name: 'robot_face', user: ALICE })
    const thread = threadOf(bot, ts)
    expect(await endings(bot, thread)).toContain('That the build is broken.')
    expect(thread.shown()[0]).toBe('@Alice asked:\n> What does this mean?')
    expect(bot.model.requests[0]?.prompt).toContain('The question is about this message:\n@Bob: CI is red')
  })

  test('asks in the thread of a reply', async (t) => {
    const bot = await asking(t, { ASK_REACTION: ':Thinking_Face:' })
    const root = await bot.slack.say({ text: 'Any news?', user: BOB })
    const { ts } = await bot.slack.say({ text: 'CI is green', user: BOB, thread_ts: root.ts })
    await bot.slack.people.react({ channel: GENERAL, ts, name: 'thinking_face', user: ALICE })
    expect(await endings(bot, threadOf(bot, root.ts))).toContain('That the build is broken.')
    expect(bot.model.requests[0]?.prompt).toContain('@Bob: CI is green')
  })

  test('asks once per person and message', async (t) => {
    const bot = await asking(t, { ASK_REACTION: 'wave' })
    const { ts } = await bot.slack.say({ text: 'CI is red', user: BOB })
    const react = (user: string, removed = false, name = 'wave::skin-tone-3') =>
      bot.slack.people.react({ channel: GENERAL, ts, name, user, removed })
    await react(ALICE)
    const thread = threadOf(bot, ts)
    await endings(bot, thread)
    await react(ALICE, true)
    await react(ALICE)
    await bot.slack.settle()
    expect(roots(thread)).toHaveLength(1)
    await react(BOB)
    await bot.slack.until(() => roots(thread).length === 2, 'the question of somebody else')
    expect(roots(thread)[1]).toMatch(/^@Bob asked:/)
  })

  test('counts against the limits, and obeys the access rules', async (t) => {
    const bot = await asking(t, { ...ON, LIMIT_USER_HOUR: '1', ALLOW_USERS: ALICE })
    const { ts } = await bot.slack.say({ text: 'CI is red', user: BOB })
    const other = await bot.slack.say({ text: 'CI is green', user: BOB })
    await bot.slack.people.react({ channel: GENERAL, ts, name: 'robot_face', user: BOB })
    expect(await bot.slack.until(() => bot.slack.ephemerals(GENERAL, BOB)[0], 'a refusal')).toMatch(/not/)
    await bot.slack.people.react({ channel: GENERAL, ts, name: 'robot_face', user: ALICE })
    await endings(bot, threadOf(bot, ts))
    await bot.slack.people.react({ channel: GENERAL, ts: other.ts, name: 'robot_face', user: ALICE })
    expect(await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE)[0], 'a limit')).toMatch(/reached the limit/)
    expect(bot.model.requests).toHaveLength(1)
  })

  test('asks nothing for another app, and a guest is told why not', async (t) => {
    const bot = await asking(t)
    const { slack } = bot
    const app = slack.addUser('U0OTHERAPP1', { name: 'butler', is_bot: true }).id
    const guests = [strangers.guest(slack), strangers.singleChannelGuest(slack)]
    const { ts } = await slack.say({ text: 'CI is red', user: BOB })
    for (const user of [app, ...guests]) await slack.people.react({ channel: GENERAL, ts, name: 'robot_face', user })
    for (const guest of guests)
      expect(await slack.until(() => slack.ephemerals(GENERAL, guest)[0], 'a refusal')).toMatch(/questions from guests/)
    await slack.settle()
    expect(bot.model.requests).toEqual([])
    expect(slack.ephemerals(GENERAL, app)).toEqual([])
  })

  test('asks over Socket Mode too, a clip as well', async (t) => {
    const bot = await startBot(t, { mode: 'socket', env: ON })
    bot.model.on('What does this mean', finish('That the build is broken.'))
    const { ts } = await bot.slack.say({ text: '', user: BOB, files: [clip('memo.m4a', 'CI is red, says Bob.')] })
    await bot.slack.people.react({ channel: GENERAL, ts, name: 'robot_face', user: ALICE })
    expect(await endings(bot, threadOf(bot, ts))).toContain('That the build is broken.')
    expect(bot.model.requests[0]?.prompt).toContain('CI is red, says Bob.')
  })

  test('is nothing unless set, and no other emoji asks', async (t) => {
    const bot = await asking(t, {})
    const { ts } = await bot.slack.say({ text: 'CI is red', user: BOB })
    await bot.slack.people.react({ channel: GENERAL, ts, name: 'robot_face', user: ALICE })
    const on = await asking(t)
    const said = await on.slack.say({ text: 'CI is red', user: BOB })
    await on.slack.people.react({ channel: GENERAL, ts: said.ts, name: 'eyes', user: ALICE })
    await Promise.all([bot.slack.settle(), on.slack.settle()])
    expect([...bot.model.requests, ...on.model.requests]).toEqual([])
  })

  test('asks in a private channel too', async (t) => {
    const bot = await asking(t)
    bot.slack.addChannel('G0CLOSED001', { kind: 'group', ...BOTH })
    const { ts, channel } = await bot.slack.say({ channel: 'G0CLOSED001', text: 'It rains.', user: BOB })
    await bot.slack.people.react({ channel, ts, name: 'robot_face', user: ALICE })
    expect(await endings(bot, threadOf(bot, ts, channel))).toContain('That the build is broken.')
  })
})

describeWithRedis('with Redis', async () => {
  const server = await startRedis()
  const ends = fileEnds()
  ends.onTestFinished(() => server.stop())

  test('asks once per person and message, also at two processes', async (t) => {
    const bot = await asking(t, { ...ON, REDIS_URL: server.url })
    await secondBot(t, bot, { ...ON, REDIS_URL: server.url })
    const { ts } = await bot.slack.say({ text: 'CI is red', user: BOB })
    for (const removed of [false, true, false])
      await bot.slack.people.react({ channel: GENERAL, ts, name: 'robot_face', user: ALICE, removed })
    const thread = threadOf(bot, ts)
    expect(await endings(bot, thread)).toContain('That the build is broken.')
    await bot.slack.settle()
    expect(roots(thread)).toHaveLength(1)
  })
})

test.each(['x', ':octagonal_sign:', 'two words', 'a,b', '🤖'])('ASK_REACTION=%s is refused', (name) => {
  expect(() => loadConfig({ ASK_REACTION: name })).toThrow(/^ASK_REACTION should be /)
})
