/** Schedules: created by a message, shown before they are saved, and run as their maker. */
import { expect, onTestFinished, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { forget } from '../harness/answer-buttons.ts'
import { type TestBot, type Thread } from '../harness/bot.ts'
import { SCHEDULE } from '../../src/slack/format/action-ids.ts'
import { mcpFile } from '../harness/mcp/mcp-servers.ts'
import { startNotesServer } from '../harness/mcp/notes-server.ts'
import { act, finish } from '../harness/played-model.ts'
import { DM, dms, MINUTE, occurrence, press, roots, schedule, startWithClock, told } from '../harness/schedules.ts'
import { strangers } from '../harness/slack-hands.ts'

test('a schedule is shown, tried and saved only by its maker, runs once each time, and is listed and ended', async (t) => {
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
  expect(await told(bot, /Cost of a run:\* [\d,]+ tokens/)).toContain('not saved yet')
  expect(bot.slack.messages(GENERAL).filter(({ user }) => user === BOT_USER)).toEqual([])
  await press(bot, 'thinkaloud_schedule_save')
  await told(bot, /^Saved\. Next: /)
  bot.model.on('wiki', act('Add.', 'calculator', '1+1'), finish('All is **new**.'))
  bot.later(22 * MINUTE)
  const first = await occurrence(bot, 1)
  expect(await first.ended()).toContain('All is *new*.')
  expect(bot.slack.shown(roots(bot)[0]!)).toMatch(
    /⏰ \*Alice’s schedule\* · Every 20 minutes\n> what is new in our wiki\?/,
  )
  expect(first.steps()).toHaveLength(1)
  bot.model.condenses('and now', 'And now?')
  bot.model.on('And now', finish('Still new.'))
  await first.reply('and now?')
  expect(await first.lastAnswer()).toContain('Still new.')
  await bot.slack.slash('schedules', { channel: GENERAL })
  expect(await told(bot, /Last: .*: answered · \d/)).toMatch(/Next: .*\n.*Cost in 30 days: /s)
  await press(bot, 'thinkaloud_schedule_pause')
  await told(bot, /Paused\. The person who made it can resume it\..*Resume/s)
  bot.later(22 * MINUTE)
  await press(bot, 'thinkaloud_schedule_resume')
  await told(bot, /Resumed\. Next: /)
  await press(bot, 'thinkaloud_schedule_run')
  await (await occurrence(bot, 2)).ended()
  expect(JSON.stringify(bot.slack.store.channel(GENERAL).ephemerals)).toContain('Delete this schedule?')
  await press(bot, 'thinkaloud_schedule_delete')
  await told(bot, /^Deleted\.\nYou have no schedules/)
  expect(bot.slack.refusals).toEqual([])
  expect(bot.slack.pings()).toEqual([])
})

interface Changing {
  channel: ReturnType<TestBot['slack']['store']['channel']>
  maker: { is_restricted?: boolean }
}

/** The reasons why a schedule does not run, and the messages about them. */
const CHANGES = ({ channel, maker }: Changing): [reason: string, is: () => void, was: () => void][] => [
  ['the channel is archived', () => (channel.archived = true), () => (channel.archived = false)],
  ['was shared with another company', () => (channel.shared = true), () => (channel.shared = false)],
  ['was made private', () => (channel.kind = 'group'), () => (channel.kind = 'channel')],
  ['I am no longer in the channel', () => channel.members.delete(BOT_USER), () => channel.members.add(BOT_USER)],
  ['guests and people of connected', () => (maker.is_restricted = true), () => (maker.is_restricted = false)],
]

test('nothing is posted if there is nothing to report, and the list shows the run', async (t) => {
  const bot = await startWithClock(t)
  bot.model.on('red', act('Add.', 'calculator', '1+1'), finish('NOTHING'))
  await schedule(bot, 'every 20 minutes tell me the status, only if it is red')
  bot.later(22 * MINUTE)
  await bot.slack.until(() => bot.logs.some((line) => line.includes('"end":"quiet"')), 'a quiet run')
  expect(roots(bot)).toEqual([])
  await bot.slack.slash('schedules', { channel: GENERAL })
  await told(bot, /Last: .*: ran, nothing to report · [\d,]+ tokens/)
  bot.model.on('red', act('Add.', 'calculator', '1+1'), finish('It is **red**.'))
  const asked = bot.model.requests.length
  bot.later(20 * MINUTE)
  const run = await occurrence(bot, 1)
  expect(await run.ended()).toContain('It is *red*.')
  expect(run.steps()).toHaveLength(1)
  expect(bot.model.requests.slice(asked)).toHaveLength(2)
  expect(bot.model.requests.at(-1)!.prompt).toContain('NOTHING')
  expect(bot.slack.refusals).toEqual([])
})

test('late runs are skipped, and a schedule pauses with one private message when its maker or channel is gone', async (t) => {
  const bot = await startWithClock(t)
  bot.model.on('', finish('Done.'))
  await schedule(bot, 'every 20 minutes what is new?')
  // From then on, the minute over which runs are spread has passed.
  bot.later(3 * 60 * MINUTE - 60_000)
  await bot.slack.until(() => bot.logs.some((line) => line.includes('were missed')), 'missed runs')
  await bot.slack.slash('schedules', { channel: GENERAL })
  await told(bot, /: missed, because I was not running \(\d times\)/)
  const { members } = bot.slack.store.channel(GENERAL)
  members.delete(ALICE)
  const before = roots(bot).length
  bot.later(22 * MINUTE)
  await bot.slack.until(() => dms(bot).length > 0, 'a private message')
  expect(dms(bot)).toEqual([
    expect.stringMatching(/^I paused your schedule “what is new\?” .* no longer a member of the channel/),
  ])
  bot.later(60 * MINUTE)
  await bot.slack.settle()
  expect([roots(bot).length, dms(bot).length]).toEqual([before, 1])
  members.add(ALICE)
  const [message] = bot.slack.messages(DM)
  await bot.slack.press({ channel: DM, ts: message!.ts, user: ALICE }, { action_id: 'thinkaloud_schedule_resume' })
  await bot.slack.until(() => /^Resumed\. Next: /.test(dms(bot)[0]!), 'the next time')
  const channel = bot.slack.store.channel(GENERAL)
  const maker = bot.slack.store.users.get(ALICE)!
  for (const [reason, is, was] of CHANGES({ channel, maker })) {
    is()
    bot.later(20 * MINUTE)
    const said = () => dms(bot).filter((text) => text.includes(reason))
    await bot.slack.until(() => said().length > 0, reason)
    was()
    const last = bot.slack.messages(DM).findLast((one) => bot.slack.shown(one).includes(reason))!
    await bot.slack.press({ channel: DM, ts: last.ts, user: ALICE }, { action_id: 'thinkaloud_schedule_resume' })
    await bot.slack.until(() => said().length === 0, 'the next time')
  }
  expect(roots(bot)).toHaveLength(before)
  expect(bot.slack.refusals).toEqual([])
})

test('a person who may not make one gets a private refusal, and ordinary sentences stay questions', async (t) => {
  const bot = await startWithClock(t, { env: { ALLOW_EXTERNAL: 'true' } })
  const guest = strangers.guest(bot.slack)
  await bot.mention('every 20 minutes what is new?', { user: guest })
  await told(bot, /^Only full members of this workspace can make schedules\./, { user: guest })
  await bot.slack.slash('schedule whenever you like what is new?', { channel: GENERAL })
  await told(bot, /I could not read when.*For example:/s)
  await schedule(bot, 'schedule every 20 minutes what is new?', { channel: DM })
  bot.model.on('lose', finish('Because.'))
  const asked = await bot.mention('every Monday we lose orders, why?')
  expect(await asked.ended()).toContain('Because.')
  await bot.slack.slash('schedules', { channel: GENERAL, user: BOB })
  await told(bot, /^You have no schedules here/, { user: BOB })
  expect((await bot.openHome()).shown()).toMatch(/Your schedules\n.*Every 20 minutes/)
  await forget(bot.slack, { channel: DM })
  await bot.slack.until(async () => !/Your schedules/.test((await bot.openHome()).shown()), 'a Home without schedules')
})

/** Presses a button of a person's card in a thread. */
async function decide(bot: TestBot, thread: Thread, action_id: string) {
  const card = await bot.slack.until(
    () => thread.messages().find((one) => bot.slack.shown(one).startsWith('🔐')),
    'a card that can be pressed',
  )
  await bot.slack.press({ channel: GENERAL, ts: card.ts, user: ALICE }, { action_id })
}

test('a call that changes something waits for the maker each time, also in a quiet run', async (t) => {
  const bot = await startWithClock(t, { env: { CUSTOM_TOOLS_DIR: 'test/fixtures/approval-tools' } })
  const write = act('I write.', 'notebook', JSON.stringify({ title: 'Daily', text: 'Milk.' }))
  await schedule(bot, 'every 20 minutes write down milk, only if we need some')
  for (const [n, answer, shown] of [
    [1, 'It is written.', 'It is written.\n'],
    [2, 'NOTHING', 'There is nothing to report.\n'],
  ] as const) {
    bot.model.on('milk', write, finish(answer))
    bot.later(22 * MINUTE)
    const run = await occurrence(bot, n)
    await decide(bot, run, 'thinkaloud_allow_always')
    expect(await run.ended()).toContain(shown)
    expect(run.shown().at(-1)).toContain('Changed: Daily (Notebook), allowed by Alice')
  }
  expect(bot.slack.refusals).toEqual([])
})

test('a tool that the operator allows without approval needs one in a scheduled run', async (t) => {
  const notes = await startNotesServer(t)
  const server = { type: 'http', url: notes.url, trust: true, allow: ['*'] }
  const bot = await startWithClock(t, { env: { MCP_CONFIG: mcpFile(t, { mcpServers: { notes: server } }) } })
  const input = JSON.stringify({ title: 'Daily', text: 'Milk.', urgent: false })
  bot.model.on('Add', act('I add.', 'notes__add_note', input), finish('It is added.'))
  await (await bot.mention('Add a note?')).ended()
  expect(notes.notes).toHaveLength(1)
  await schedule(bot, 'every 20 minutes add the milk?')
  bot.model.on('milk', act('I add.', 'notes__add_note', input), finish('It is added.'))
  bot.later(22 * MINUTE)
  const run = await occurrence(bot, 1)
  // Nobody presses anything until the next run.
  bot.later(20 * MINUTE)
  await occurrence(bot, 2)
  expect(notes.notes).toHaveLength(1)
  await decide(bot, run, 'thinkaloud_deny')
  expect(await run.ended()).toContain('It is added.')
  expect(notes.notes).toHaveLength(1)
})

test.each([
  ['failed', { status: 400, body: { error: { message: 'no', code: 'invalid' } } }],
  ['gave_up', act('I add.', 'calculator', '1+1')],
])('three runs in a row that end as %s pause it, and that is said once', async (end, turn) => {
  const bot = await startWithClock({ onTestFinished }, { env: { AGENT_MAX_STEPS: '1' } })
  bot.model.on('', turn)
  await schedule(bot, 'every 20 minutes what is new?')
  for (const n of [1, 2, 3]) {
    bot.later(20 * MINUTE + (n === 1 ? 2 * MINUTE : 0))
    await (await occurrence(bot, n)).ended()
    await bot.slack.until(
      () => bot.logs.filter((line) => line.includes(`"end":"${end}"`)).length === n,
      `${n} failures`,
    )
  }
  await bot.slack.until(() => dms(bot).length > 0, 'a private message')
  expect(dms(bot)).toEqual([
    expect.stringMatching(/because three runs in a row failed or found no answer\. .*\nResume/),
  ])
  expect(bot.slack.refusals).toEqual([])
})

test('Just answer asks it now, for everyone there, once, and saves nothing', async (t) => {
  const bot = await startWithClock(t, { model: () => finish('Nothing new.') })
  await bot.slack.slash('every Monday at 9 what is new?')
  await Promise.all([press(bot, SCHEDULE.answer), press(bot, SCHEDULE.answer).catch(() => undefined)])
  await told(bot, /^I am answering it now, as a question\. Nothing was saved\.$/)
  const root = () => bot.slack.messages(GENERAL).filter((one) => bot.slack.shown(one).includes('what is new?'))
  await bot.slack.until(() => root().length > 0, 'the question')
  await bot.slack.until(() => bot.slack.replies(GENERAL, root()[0]!.ts).length > 0, 'the answer')
  expect(root().map((one) => bot.slack.shown(one))).toEqual(['@Alice asked:\n> every Monday at 9 what is new?'])
  await bot.slack.slash('schedules')
  await told(bot, /^You have no schedules here/)
})
