/** Schedules: made by a message, shown before they are saved, and run as their maker. */
import { expect, test, type TestContext } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, type Message } from '../../playground/slack/slack.ts'
import { startBot, Thread, type TestBot, type TestBotOptions } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'

const MINUTE = 60_000
const DM = 'D0ALICE0001'

/** A bot whose clock a test can move. */
async function startWithClock(t: TestContext, options: TestBotOptions = {}) {
  let ahead = 0
  const bot = await startBot(t, { ...options, now: () => new Date(Date.now() + ahead) })
  return { ...bot, later: (ms: number) => void (ahead += ms) }
}

const ephemerals = (bot: TestBot, channel = GENERAL, user = ALICE) =>
  bot.slack.store.channel(channel).ephemerals.filter((one) => one.user === user)

/** Somebody presses a button of an ephemeral message; the last one that has it. */
async function press(bot: TestBot, action_id: string, { user = ALICE, channel = GENERAL } = {}) {
  const has = () => ephemerals(bot, channel, user).findLast((one) => JSON.stringify(one.blocks).includes(action_id))
  const { ts } = await bot.slack.until(has, `a message with ${action_id}`)
  return bot.slack.press({ channel, ts, user }, { action_id })
}

/** What was last shown to a person alone, once it fits. */
const told = (bot: TestBot, words: RegExp, { channel = GENERAL, user = ALICE } = {}) =>
  bot.slack.until(
    () => ephemerals(bot, channel, user).map((one) => bot.slack.shown(one as Message)).findLast((text) => words.test(text)),
    `the words ${words}`,
    15_000,
  )

const roots = (bot: TestBot, channel = GENERAL) =>
  bot.slack.messages(channel).filter((one) => one.user === BOT_USER && !one.thread_ts && bot.slack.shown(one).includes('schedule'))

async function occurrence(bot: TestBot, n: number, channel = GENERAL): Promise<Thread> {
  const root = await bot.slack.until(() => roots(bot, channel)[n - 1], `occurrence ${n}`)
  return new Thread(bot.slack, { ts: root.ts, thread: root.ts, channel, deliveries: [] })
}

test('a schedule is shown, tried and saved by its maker alone, runs once each time, and is listed and ended', async (t) => {
  const bot = await startWithClock(t)
  bot.model.on('wiki', act('Add.', 'calculator', '1+1'), finish('All is **new**.'))
  await bot.mention('every 20 minutes what is new in our wiki?')
  const card = await told(bot, /not saved yet/)
  expect(card).toMatch(/> what is new in our wiki\?/)
  expect(card).toContain('Every 20 minutes')
  expect(card).toContain('Calculator')
  expect(card).toContain('Press Try now')
  await press(bot, 'thinkaloud_schedule_try')
  await told(bot, /All is \*new\*/)
  expect(await told(bot, /Cost of a run:\* \d+ tokens/)).toContain('not saved yet')
  expect(bot.slack.messages(GENERAL).filter(({ user }) => user === BOT_USER)).toEqual([])
  await press(bot, 'thinkaloud_schedule_save')
  await told(bot, /^Saved\. Next: /)
  bot.later(21 * MINUTE)
  const first = await occurrence(bot, 1)
  expect(await first.ended()).toContain('All is *new*.')
  expect(bot.slack.shown(roots(bot)[0]!)).toMatch(/Alice’s schedule · Every 20 minutes\n> what is new in our wiki\?/)
  expect(first.steps()).toHaveLength(1)
  bot.model.on('and now', finish('Still new.'))
  await first.reply('and now?')
  expect(await first.lastAnswer()).toContain('Still new.')
  await bot.slack.slash('schedules', { channel: GENERAL })
  expect(await told(bot, /Last: .*: answered · \d/)).toMatch(/Next: .*\n.*Cost of 30 days: /s)
  await press(bot, 'thinkaloud_schedule_pause')
  await told(bot, /Paused, because somebody paused it/)
  bot.later(21 * MINUTE)
  await press(bot, 'thinkaloud_schedule_resume')
  await told(bot, /Resumed\. Next: /)
  await press(bot, 'thinkaloud_schedule_run')
  await (await occurrence(bot, 2)).ended()
  await press(bot, 'thinkaloud_schedule_delete')
  await told(bot, /^Deleted\.\nYou have no schedules/)
  expect(bot.slack.refusals).toEqual([])
  expect(bot.slack.pings()).toEqual([])
})
