/** A bot with schedules, whose clock a test can move, and people's actions with them. */
import { ALICE, BOT_USER, GENERAL, type StoredMessage } from '../../playground/slack/slack.ts'
import { startBot, Thread, type TestBot, type TestBotOptions } from './bot.ts'
import type { Ends } from './ends.ts'

export const MINUTE = 60_000
export const DM = 'D0ALICE0001'

/** Starts a bot whose clock a test can move. */
export async function startWithClock(t: Ends, options: TestBotOptions = {}) {
  let ahead = 0
  const bot = await startBot(t, { ...options, now: () => new Date(Date.now() + ahead) })
  return { ...bot, later: (ms: number) => void (ahead += ms) }
}

export const ephemerals = (bot: TestBot, channel = GENERAL, user = ALICE) =>
  bot.slack.store.channel(channel).ephemerals.filter((one) => one.user === user)

/** Presses a button of the last ephemeral message that has it. */
export async function press(bot: TestBot, action_id: string, { user = ALICE, channel = GENERAL } = {}) {
  const has = () => ephemerals(bot, channel, user).findLast((one) => JSON.stringify(one.blocks).includes(action_id))
  const { ts } = await bot.slack.until(has, `a message with ${action_id}`)
  return bot.slack.press({ channel, ts, user }, { action_id })
}

/** Returns the last ephemeral message to a person, once it matches. */
export const told = (bot: TestBot, words: RegExp, { channel = GENERAL, user = ALICE } = {}) =>
  bot.slack.until(
    () =>
      ephemerals(bot, channel, user)
        .map((one) => bot.slack.shown(one as StoredMessage))
        .findLast((text) => words.test(text)),
    `the words ${words}`,
    15_000,
  )

export const roots = (bot: TestBot, channel = GENERAL) =>
  bot.slack
    .messages(channel)
    .filter((one) => one.user === BOT_USER && !one.thread_ts && bot.slack.shown(one).includes('schedule'))

export async function occurrence(bot: TestBot, n: number, channel = GENERAL): Promise<Thread> {
  const root = await bot.slack.until(() => roots(bot, channel)[n - 1], `occurrence ${n}`)
  return new Thread(bot.slack, { ts: root.ts, thread: root.ts, channel, deliveries: [] })
}

const SAVE = 'thinkaloud_schedule_save'

/** Creates a schedule in a place, and saves it. */
export async function schedule(bot: TestBot, text: string, { user = ALICE, channel = GENERAL } = {}) {
  const known = new Set(ephemerals(bot, channel, user).map(({ ts }) => ts))
  const shown = () => ephemerals(bot, channel, user).filter(({ ts }) => !known.has(ts))
  const cards = () => shown().find((one) => JSON.stringify(one.blocks).includes(SAVE))
  await bot.slack.slash(text, { channel, user })
  const { ts } = await bot.slack.until(cards, 'the card')
  await bot.slack.press({ channel, ts, user }, { action_id: SAVE })
  const isSaved = () => shown().some((one) => bot.slack.shown(one as StoredMessage).startsWith('Saved'))
  await bot.slack.until(isSaved, 'that it is saved')
}

/** Returns the direct messages to Alice. */
export const dms = (bot: TestBot) => bot.slack.messages(DM).map((message) => bot.slack.shown(message))
