/** Limits and marks that hold for people of one company and of others: schedules, memory and large channels. */
import { expect, test } from 'vitest'
import { ALICE, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { startBot } from '../harness/bot.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { ephemerals, MINUTE, occurrence, schedule, startWithClock, told } from '../harness/schedules.ts'

const SAVE = 'thinkaloud_schedule_save'

describeWithRedis('SCHEDULES_PER_USER', () => {
  const server = suiteRedis()
  test.for([false, true])('holds for presses at the same moment (Redis: %s)', async (isStored, t) => {
    const stored: Record<string, string> = isStored ? { REDIS_URL: server.url } : {}
    const bot = await startWithClock(t, { env: { SCHEDULES_PER_USER: '3', ...stored } })
    for (let n = 0; n < 5; n++)
      await bot.slack.slash(`every day at ${n + 6} what of ${n}?`, { channel: GENERAL, user: ALICE })
    const cards = () => ephemerals(bot).filter((one) => JSON.stringify(one.blocks).includes(SAVE))
    await bot.slack.until(() => cards().length === 5, 'five cards')
    const press = ({ ts }: { ts: string }) =>
      bot.slack.press({ channel: GENERAL, ts, user: ALICE }, { action_id: SAVE })
    await Promise.all(cards().map(press))
    await bot.slack.until(
      () => bot.slack.ephemerals(GENERAL, ALICE).filter((text) => /3 schedules/.test(text)).length >= 2,
      'two refusals',
    )
    await bot.slack.slash('schedules', { channel: GENERAL, user: ALICE })
    const list = await told(bot, /what of/)
    expect(list.match(/what of \d/g)?.length).toBe(3)
  })
})

test('a schedule runs in a private channel with many members', async (t) => {
  const bot = await startWithClock(t)
  const many = Array.from({ length: 6_500 }, (_, n) => `U0MANY${n}`)
  bot.slack.addChannel('G0LARGE001', { kind: 'group', name: 'all', members: new Set([BOT_USER, ...many, ALICE]) })
  bot.model.on('news', finish('There are none.'))
  await schedule(bot, 'every 20 minutes what are the news?', { channel: 'G0LARGE001' })
  bot.later(22 * MINUTE)
  const first = await occurrence(bot, 1, 'G0LARGE001')
  await bot.slack.until(() => first.shown().some((text) => text.includes('There are none.')), 'the answer')
})

test('what another company’s person wrote keeps its mark when it is remembered', async (t) => {
  const bot = await startBot(t, { env: { ALLOW_EXTERNAL: 'true' } })
  const extra = { user_team: 'T0OTHER0001', team: 'T0OTHER0001' }
  bot.slack.addUser('U0STRANGER1', { name: 'Sam', team_id: 'T0OTHER0001' })
  const said = await bot.slack.say({ channel: GENERAL, user: 'U0STRANGER1', text: 'the price is 7', extra })
  await bot.slack.shortcut({ channel: GENERAL, ts: said.ts, user: ALICE }, 'thinkaloud_remember')
  await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length > 0, 'a private word')
  bot.model.on('', finish('It is 7.'))
  await (await bot.mention('What is the price?')).ended()
  expect(bot.model.requests.at(-1)?.prompt).toMatch(/\(of another workspace\), \d{4}-\d\d-\d\d: the price is 7/)
})
