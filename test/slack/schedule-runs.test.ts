/** When a scheduled run waits, is not made, or pauses its schedule; and what is said of it, once. */
import { expect, test } from 'vitest'
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'
import { finish } from '../harness/played-model.ts'
import { DM, dms, MINUTE, occurrence, roots, schedule, startWithClock, told } from '../harness/schedules.ts'

const seen = (bot: { logs: string[] }, words: string) => bot.logs.filter((line) => line.includes(words)).length

test('a run for which a limit leaves no room is asked again later, and runs once', async (t) => {
  const bot = await startWithClock(t, { env: { LIMIT_TEAM_RUNS: '1' } })
  let end = () => {}
  bot.model.decide('busy', () => new Promise((resolve) => (end = () => resolve(finish('Over.')))))
  bot.model.on('new', finish('Done.'))
  await schedule(bot, 'every 20 minutes what is new?')
  const other = await bot.mention('Is anybody busy?')
  await bot.slack.until(() => bot.model.about('busy').length > 0, 'the other run')
  bot.later(22 * MINUTE)
  await bot.slack.until(() => seen(bot, 'a scheduled run waits') === 1, 'a run that waits')
  bot.later(MINUTE)
  await bot.slack.until(() => seen(bot, 'a scheduled run waits') === 2, 'a run that waits again')
  expect([roots(bot), dms(bot)]).toEqual([[], []])
  end()
  await other.ended()
  bot.later(MINUTE)
  expect(await (await occurrence(bot, 1)).ended()).toContain('Done.')
  bot.later(2 * MINUTE)
  await bot.slack.settle()
  expect(roots(bot)).toHaveLength(1)
  await bot.slack.slash('schedules', { channel: GENERAL })
  await told(bot, /Last: [^\n]*: answered/)
  // What waits for too long is not run, and that is said.
  const third = await bot.mention('Is anybody busy now?')
  await bot.slack.until(() => bot.model.about('busy now').length > 0, 'the other run')
  bot.later(17 * MINUTE)
  await bot.slack.until(() => seen(bot, 'a scheduled run waits') === 3, 'a run that waits')
  bot.later(11 * MINUTE)
  await bot.slack.until(() => seen(bot, '"end":"limited"') === 1, 'its end')
  end()
  await third.ended()
  await bot.slack.slash('schedules', { channel: GENERAL })
  await told(bot, /Last: [^\n]*: not run, because the limit of questions was reached/)
  expect(roots(bot)).toHaveLength(1)
  expect(bot.slack.refusals).toEqual([])
})

test('a used-up budget pauses a schedule, and that is said once, though Slack cut the connection', async (t) => {
  const bot = await startWithClock(t, { env: { BUDGET_USER_DAY_TOKENS: '6000' } })
  bot.model.on('', {
    ...{ text: 'Thought: I know.\nFinal Answer: Done.' },
    usage: { prompt_tokens: 6_000, completion_tokens: 9, total_tokens: 6_009 },
  })
  await schedule(bot, 'every 20 minutes what is new?')
  await (await bot.mention('What costs much?')).ended()
  bot.slack.fault({ method: 'chat.postMessage', channel: ALICE, dropAfter: true })
  bot.later(22 * MINUTE)
  await bot.slack.until(() => dms(bot).length > 0, 'a private message')
  expect(dms(bot)[0]).toMatch(/^I paused your schedule .* because your budget, or that of your workspace, is used up\./)
  expect((await bot.openHome()).shown()).toContain('Paused, because your budget')
  bot.later(60 * MINUTE)
  await bot.slack.settle()
  // It lets the run end, which would send the message again.
  await bot.stop()
  expect([dms(bot).length, roots(bot).length]).toEqual([1, 0])
  expect(bot.slack.refusals).toEqual([])
})

test('a schedule whose maker was deactivated pauses, and one resumed in a shared channel runs there', async (t) => {
  const bot = await startWithClock(t)
  bot.model.on('', finish('Done.'))
  await schedule(bot, 'every 20 minutes what is new?')
  const maker = bot.slack.store.users.get(ALICE)!
  maker.deleted = true
  bot.later(22 * MINUTE)
  await bot.slack.until(() => seen(bot, '"why":"makerGone"') === 1, 'the pause')
  bot.later(60 * MINUTE)
  await bot.slack.settle()
  expect([roots(bot).length, seen(bot, 'a schedule was paused')]).toEqual([0, 1])
  maker.deleted = false
  // Whoever resumes it agrees to what the channel is by then.
  const channel = bot.slack.store.channel(GENERAL)
  channel.shared = true
  const home = await bot.openHome()
  expect(home.shown()).toContain('Paused, because the account of its maker is deactivated')
  await home.press('thinkaloud_schedule_resume')
  await bot.slack.until(() => /Your schedules\nResumed\. Next: /.test(home.shown()), 'the next time')
  bot.later(22 * MINUTE)
  expect(await (await occurrence(bot, 1)).ended()).toContain('Done.')
  expect(dms(bot).filter((text) => text.includes('another company'))).toEqual([])
  expect(bot.slack.refusals).toEqual([])
})

test('a word that says there is nothing posts nothing, however it is written, and what is remembered reaches a quiet run', async (t) => {
  const bot = await startWithClock(t)
  const words = ['NOTHING', '`NOTHING`', '**Nothing.**', '```\nNOTHING\n```', '“nothing”', 'NOTHING!']
  bot.model.on('red', ...words.map((word) => finish(word)), finish('It is red, for NOTHING works.'))
  await bot.slack.slash('remember our light is by the door', { channel: DM })
  await schedule(bot, 'every 20 minutes tell me the status, only if it is red', { channel: DM })
  for (const n of words.keys()) {
    bot.later(n === 0 ? 22 * MINUTE : 20 * MINUTE)
    await bot.slack.until(() => seen(bot, '"end":"quiet"') === n + 1, `quiet run ${n + 1}`)
  }
  expect(roots(bot, DM)).toEqual([])
  for (const { prompt } of bot.model.about('red')) expect(prompt).toContain('our light is by the door')
  bot.later(20 * MINUTE)
  const answer = await (await occurrence(bot, 1, DM)).ended()
  expect(answer).toContain('It is red')
  expect(answer).toContain('1 thing remembered')
  expect(bot.slack.refusals).toEqual([])
})
