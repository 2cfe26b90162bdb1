/** Changes of existing schedules, also from a list or the Home. */
import { expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import type { TestBot } from '../harness/bot.ts'
import { finish } from '../harness/played-model.ts'
import {
  DM,
  dms,
  ephemerals,
  MINUTE,
  occurrence,
  press,
  roots,
  schedule,
  startWithClock,
  told,
} from '../harness/schedules.ts'
import { scrape } from '../harness/scrape.ts'
import { strangers } from '../harness/slack-hands.ts'

test('a change is shown before it is saved, can be tried, and keeps a long question whole', async (t) => {
  const bot = await startWithClock(t, { env: { SCHEDULES_PER_USER: '2' } })
  await schedule(bot, `every 20 minutes what is new in <#${RANDOM}|random>?`, { channel: DM })
  const home = await bot.openHome()
  await home.press('thinkaloud_schedule_change')
  const modal = await bot.modal()
  expect(JSON.stringify(modal.view())).toContain('every 20 minutes what is new in #random?')
  expect(home.shown()).toContain('what is new in #random?')
  expect(JSON.stringify(await modal.submit({ schedule_text: 'every whenever what is old?' }))).toContain(
    'I could not read when',
  )
  await modal.submit({ schedule_text: 'every hour what is old?' })
  const shown = await bot.slack.until(
    () => modal.isOpen() && /not saved yet/.test(modal.shown()) && modal.shown(),
    'the card',
  )
  expect(shown).toMatch(/Your changed schedule, not saved yet\*?\n> what is old\?/)
  expect(shown).toMatch(/Every hour\n.*Next:.*\n.*this direct message/)
  expect((await bot.openHome()).shown()).toContain('Every 20 minutes')
  await modal.press('thinkaloud_schedule_save')
  await bot.slack.until(() => /^Saved\. Next: /m.test(modal.shown()), 'the outcome')
  await bot.slack.until(() => /Every hour/.test(home.shown()), 'the changed schedule')
  expect(home.shown()).not.toContain('Every 20 minutes')
  await modal.close()
  // Trying a change replaces the form with a card, which saves it too.
  bot.model.on('warm', finish('It is **warm**.'))
  await home.press('thinkaloud_schedule_change')
  await (await bot.modal()).submit({ schedule_text: 'every 2 hours is it warm?' })
  await bot.slack.until(() => /not saved yet/.test(modal.shown()), 'the card')
  await modal.press('thinkaloud_schedule_try')
  await told(bot, /It is \*warm\*/, { channel: DM })
  expect(await told(bot, /Cost of a run:\* [\d,]+ tokens/, { channel: DM })).toContain('Your changed schedule')
  await press(bot, 'thinkaloud_schedule_save', { channel: DM })
  await told(bot, /^Saved\. Next: /, { channel: DM })
  // The Home is also updated after the trial question, which may come between.
  await bot.openHome()
  await bot.slack.until(() => home.shown().includes('Every 2 hours'), 'the saved change')
  // The result of a press on the Home is shown there.
  await home.press('thinkaloud_schedule_pause')
  await bot.slack.until(
    () => /Your schedules\nPaused\. The person who made it can resume it\./.test(home.shown()),
    'the outcome',
  )
  await home.press('thinkaloud_schedule_delete')
  await bot.slack.until(() => /Your schedules\nDeleted\./.test(home.shown()), 'the outcome')
  // A form of Slack holds 3,000 characters.
  await schedule(bot, `every 20 minutes ${'what is new and what is old? '.repeat(110)}`, { channel: DM })
  await bot.openHome()
  await home.press('thinkaloud_schedule_change')
  await bot.slack.until(() => /too long for a Slack form/.test(home.shown()), 'why it is not changed')
  expect(bot.slack.refusals).toEqual([])
  expect(bot.slack.pings()).toEqual([])
})

test('a card saved after its time saves nothing, and leaves its schedule unchanged', async (t) => {
  const bot = await startWithClock(t)
  await bot.slack.slash('in 20 minutes what is new?', { channel: GENERAL })
  await told(bot, /not saved yet/)
  bot.later(21 * MINUTE)
  await press(bot, 'thinkaloud_schedule_save')
  await told(bot, /^Its time has passed, so there is nothing to save\./)
  await bot.slack.slash('schedules', { channel: GENERAL })
  await told(bot, /^You have no schedules here/)
  await schedule(bot, 'every 3 hours what is old?')
  const home = await bot.openHome()
  await home.press('thinkaloud_schedule_change')
  const modal = await bot.modal()
  await modal.submit({ schedule_text: 'in 20 minutes what is old?' })
  await bot.slack.until(() => /not saved yet/.test(modal.shown()), 'the card')
  bot.later(21 * MINUTE)
  await modal.press('thinkaloud_schedule_save')
  await bot.slack.until(() => /^Its time has passed/m.test(modal.shown()), 'the outcome')
  expect((await bot.openHome()).shown()).toMatch(/Every 3 hours[^]*Next: \w{3}, /)
})

test('a finished schedule can be changed only if its maker may have one more', async (t) => {
  const bot = await startWithClock(t, { env: { SCHEDULES_PER_USER: '1' } })
  bot.model.on('', finish('Done.'))
  await schedule(bot, 'in 20 minutes what is new?')
  bot.later(21 * 60_000)
  await bot.slack.until(() => bot.logs.some((line) => line.includes('a scheduled run has ended')), 'the run')
  await schedule(bot, 'every hour what is old?')
  const home = await bot.openHome()
  await home.press('thinkaloud_schedule_change')
  const modal = await bot.modal()
  expect(JSON.stringify(modal.view())).toContain('in 20 minutes what is new?')
  const sent = await modal.submit({ schedule_text: 'in 30 minutes what is new?' })
  expect(JSON.stringify(sent)).toContain('You have 1 schedule, which is the maximum here')
  await schedule(bot, 'every 3 hours is it so?', { user: BOB })
  await told(bot, /^Saved/, { user: BOB })
})

test('an admin manages the schedules of the channel in which they press, and lists show no others', async (t) => {
  const bot = await startWithClock(t)
  const PRIVATE = 'G0PRIVATE01'
  bot.slack.addChannel(PRIVATE, { kind: 'group', name: 'board', members: new Set([ALICE, BOB, BOT_USER]) })
  const admin = strangers.admin(bot.slack)
  bot.slack.store.channel(PRIVATE).members.add(admin)
  await schedule(bot, 'every hour whom do we fire?', { user: BOB, channel: PRIVATE })
  await schedule(bot, 'every hour what is new?', { user: BOB })
  await schedule(bot, 'every hour what of my own?', { user: admin, channel: PRIVATE })
  await bot.slack.slash('schedules', { channel: RANDOM, user: admin })
  const own = await told(bot, /what of my own/, { channel: RANDOM, user: admin })
  expect(own).not.toMatch(/fire|what is new/)
  // Their own schedule of the private channel is paused from another channel.
  await press(bot, 'thinkaloud_schedule_pause', { channel: RANDOM, user: admin })
  expect(await told(bot, /^Paused/, { channel: RANDOM, user: admin })).not.toContain('fire')
  await bot.slack.slash('schedules', { channel: GENERAL, user: admin })
  const list = await told(bot, /what is new\?/, { user: admin })
  expect(list).toContain('by Bob')
  expect(list).not.toContain('fire')
  const { ts, blocks } = ephemerals(bot, GENERAL, admin).at(-1)!
  const values = [...JSON.stringify(blocks).matchAll(/"value":"([^"]+)"/g)].map(([, value]) => value!)
  const of = values.find((value) => value.includes(`:${GENERAL}:${BOB}:`))!
  const pressed = { action_id: 'thinkaloud_schedule_delete', value: of }
  await bot.slack.press({ channel: GENERAL, ts, user: admin }, pressed)
  expect(await told(bot, /^Deleted/, { user: admin })).not.toMatch(/what is new|fire/)
  await bot.slack.slash('schedules', { channel: PRIVATE, user: BOB })
  expect(await told(bot, /fire/, { channel: PRIVATE, user: BOB })).not.toContain('what of my own')
})

test('an admin’s Home has the schedules of the channels that they may read, and says how many more there are', async (t) => {
  const bot = await startWithClock(t, { env: { SCHEDULES_PER_USER: '20' } })
  const [MINE, OTHERS] = ['G0PRIVATE01', 'G0PRIVATE02']
  const admin = strangers.admin(bot.slack)
  bot.slack.addChannel(MINE, { kind: 'group', name: 'board', members: new Set([admin, BOB, BOT_USER]) })
  bot.slack.addChannel(OTHERS, { kind: 'group', name: 'staff', members: new Set([ALICE, BOB, BOT_USER]) })
  await schedule(bot, 'every hour what of my own?', { user: admin })
  await schedule(bot, 'every hour what is new?')
  await schedule(bot, 'every hour what does the board say?', { user: BOB, channel: MINE })
  await schedule(bot, 'every hour whom do we fire?', { user: BOB, channel: OTHERS })
  await schedule(bot, 'every hour what do I owe?', { channel: DM })
  const home = await bot.openHome(admin)
  expect(home.shown()).toMatch(
    /Schedules\n[^]*what of my own[^]*by Alice\n[^\n]*what is new\?[^]*by Bob\n[^\n]*what does the board say\?/,
  )
  expect(home.shown()).not.toMatch(/do we fire|do I owe/)
  expect((await bot.openHome()).shown()).toMatch(/Your schedules\n[^]*what is new/)
  for (let n = 0; n < 9; n++) await schedule(bot, `every hour what is ${n}?`)
  const many = (await bot.openHome(admin)).shown()
  expect(many).toContain('and 2 more')
  expect(many.match(/Every hour/g)).toHaveLength(10)
  await home.press('thinkaloud_schedule_pause')
  await bot.slack.until(
    () => /Schedules\nPaused\. The person who made it can resume it\./.test(home.shown()),
    'the outcome',
  )
  expect(bot.slack.refusals).toEqual([])
})

/** Presses *Run now* in the list of the channel. */
async function runNow(bot: TestBot, user = ALICE) {
  await bot.slack.slash('schedules', { channel: GENERAL, user })
  await told(bot, /what is new\?/, { user })
  await press(bot, 'thinkaloud_schedule_run', { user })
}

test('Run now says at once that the previous run is in progress, and later why a waiting run was skipped', async (t) => {
  const bot = await startWithClock(t, { env: { WORKER_CONCURRENCY: '1' } })
  const held: (() => void)[] = []
  const hold = () => new Promise<ReturnType<typeof finish>>((resolve) => held.push(() => resolve(finish('Done.'))))
  bot.model.decide('', hold)
  await schedule(bot, 'every 3 hours what is new?')
  await runNow(bot)
  await told(bot, /^I am running it now/)
  await bot.slack.until(() => held.length === 1, 'the run')
  await runNow(bot)
  await told(bot, /^Its last run is still going, so I did not start another one\./)
  held[0]!()
  await (await occurrence(bot, 1)).ended()
  // While another question is answered, two runs wait.
  const other = await bot.mention('Is anybody busy?')
  await bot.slack.until(() => held.length === 2, 'the other run')
  bot.later(MINUTE)
  await runNow(bot)
  bot.later(MINUTE)
  await runNow(bot)
  held[1]!()
  await other.ended()
  await bot.slack.until(() => dms(bot).length > 0, 'a private message')
  expect(dms(bot)).toEqual([
    'I did not run the schedule “what is new?” (Every 3 hours), because its last run was still going.',
  ])
  await bot.slack.until(() => held.length === 3, 'the run')
  held[2]!()
  await (await occurrence(bot, 2)).ended()
  expect(roots(bot)).toHaveLength(2)
  expect(bot.slack.refusals).toEqual([])
})

test('a limit that blocks Run now is reported and counted once', async (t) => {
  const bot = await startWithClock(t, { env: { LIMIT_USER_HOUR: '1', METRICS_PORT: '0' } })
  bot.model.on('', finish('Done.'))
  await schedule(bot, 'every 3 hours what is new?')
  await (await bot.mention('Is it so?')).ended()
  await runNow(bot)
  await told(bot, /1 question an hour for one person/)
  await bot.slack.settle()
  expect(ephemerals(bot).filter((one) => /an hour for one person/.test(String(one.text)))).toHaveLength(1)
  const seen = await scrape(bot.bot.metricsPort!)
  expect(seen.value('thinkaloud_refusals_total', { limit: 'userHour' })).toBe(1)
})

test('an admin who runs another person’s schedule also reads why it pauses or waits', async (t) => {
  const bot = await startWithClock(t, { env: { LIMIT_USER_HOUR: '1' } })
  bot.model.on('', finish('Done.'))
  const admin = strangers.admin(bot.slack)
  const said = () => bot.slack.messages(`D${admin.slice(1)}`).map((one) => bot.slack.shown(one))
  await schedule(bot, 'every 3 hours what is new?')
  await (await bot.mention('Is it so?')).ended()
  await runNow(bot, admin)
  await bot.slack.until(() => said().length === 1, 'the word about the limit')
  bot.slack.store.channel(GENERAL).members.delete(ALICE)
  bot.later(61 * MINUTE)
  await runNow(bot, admin)
  await bot.slack.until(() => said().length === 2, 'the word about the pause')
  expect(said()).toEqual([
    'I did not run the schedule “what is new?” (Every 3 hours), because the question limit was reached.',
    'I paused the schedule “what is new?” (Every 3 hours), because the person who made it is no longer a member of the channel. It does not run until the person who made it resumes it.',
  ])
  expect(dms(bot)).toEqual([expect.stringMatching(/^I paused your schedule .*, because you are no longer a member/)])
  await bot.slack.slash('schedules', { channel: GENERAL, user: admin })
  await told(bot, /Paused, because the person who made it is no longer a member of the channel/, { user: admin })
  expect(bot.slack.refusals).toEqual([])
})
