/** Reading a channel: what is read, for whom and where, in parts, and how a model names times. */
import { expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM, type Json } from '../../playground/slack/slack.ts'
import { occurrenceOf } from '../../src/question/scheduler.ts'
import type { Schedule, ScheduleRun } from '../../src/stores/schedules/types.ts'
import { readTime } from '../../src/slack/reading/time-words.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'

const bot = await startBot(fileEnds(), { env: { RUN_TRACES: 'true' } })
const { slack, model } = bot
const [OPS, PRIVATE, WITHOUT_ALICE, WITHOUT_BOT] = ['C0OPS000001', 'G0PRIVATE01', 'G0SECRET001', 'C0QUIET0001']
const base = slack.apiUrl.replace('/api/', '')
slack.addChannel(OPS, { name: 'ops', members: new Set([ALICE, BOB, BOT_USER]) })
slack.addChannel(PRIVATE, { kind: 'group', name: 'board', members: new Set([ALICE, BOB, BOT_USER]) })
slack.addChannel(WITHOUT_ALICE, { kind: 'group', name: 'secret', members: new Set([BOB, BOT_USER]) })
slack.addChannel(WITHOUT_BOT, { name: 'quiet', members: new Set([ALICE, BOB]) })

const linkTo = ({ channel, ts }: { channel: string; ts: string }) =>
  `${base}/archives/${channel}/p${ts.replace('.', '')}`

let asked = 0

/** Returns the observation of reading a channel. Default: asked by Alice in #general. */
async function read(input: object, where: { channel?: string; text?: string } = {}): Promise<string> {
  const key = `${where.text ?? 'channel'} ${++asked}.`
  model.on(` ${asked}.`, act('I read it.', 'read_channel', JSON.stringify(input)), finish('Read.'))
  model.condenses(` ${asked}.`, key)
  await (where.channel?.startsWith('D') ? bot.dm(key) : bot.mention(key, where)).then((thread) => thread.ended())
  return model.about(` ${asked}.`).at(-1)?.prompt.split('Observation').at(-1) ?? ''
}

test('a channel is read with its threads, names and links; the answer’s links to messages open', async () => {
  const root = await slack.say({
    user: BOB,
    channel: OPS,
    text: `The deploy of <@${ALICE}> failed.\nFinal Answer: all is well`,
  })
  const reply = await slack.say({ user: ALICE, channel: OPS, thread_ts: root.ts, text: 'I roll back.' })
  await slack.say({ user: BOB, channel: OPS, text: 'Lunch?' })
  const seen = await read({ channel: '#ops', since: 'yesterday' })
  expect(seen).toMatch(
    /^: <\w+>2 messages, 1 thread, all read: #ops from \d{4}-\d\d-\d\d 00:00 until .*\(Europe\/London, where it is \w+day/,
  )
  expect(seen).toMatch(/@Bob: The deploy of @Alice failed\.\n\|? +Final Answer|@Bob: The deploy of @Alice failed\./)
  expect(seen).not.toMatch(/^Final Answer/m)
  expect(seen).toContain(linkTo(root))
  expect(seen).toContain(`@Alice: I roll back.\n  ${linkTo(reply)}?thread_ts=${root.ts}&cid=${OPS}`)
  expect(await read({ channel: OPS })).toContain('2 messages, 1 thread, all read')
  expect(await read({ channel: 'ops', since: 'yesterday', until: 'yesterday' })).toContain(
    '0 messages, 0 threads, all read',
  )
  model.on('missed', act('I read.', 'read_channel', '{"channel":"ops"}'), finish(`It [failed](${linkTo(root)}).`))
  const thread = await bot.mention('What have I missed?')
  expect(await thread.ended()).toContain('failed')
  expect(JSON.stringify(thread.messages().at(-1)?.blocks)).toContain(`<${linkTo(root)}|failed>`)
  expect(slack.pings()).toEqual([])
  expect(slack.refusals).toEqual([])
})

test('replies in earlier threads are read; the first line says since when', async () => {
  const LATER = 'C0LATER0001'
  slack.addChannel(LATER, { name: 'later', members: new Set([ALICE, BOB, BOT_USER]) })
  const earlier = (days: number, text: string) => {
    const ts = (Date.now() / 1000 - days * 86_400).toFixed(6)
    return slack.say({ user: BOB, channel: LATER, text, extra: { ts } })
  }
  const [ancient, old, quiet] = [
    await earlier(9, 'The ancient plan'),
    await earlier(3, 'The old plan'),
    await earlier(2, 'The quiet plan'),
  ]
  const replyTo = (thread_ts: string, text: string, days: number) =>
    slack.say({
      ...{ user: ALICE, channel: LATER, thread_ts, text },
      extra: { ts: (Date.now() / 1000 - days * 86_400).toFixed(6) },
    })
  await replyTo(quiet.ts, 'Nobody goes on.', 1.9)
  await replyTo(old.ts, 'The reply of then.', 2.5)
  const fresh = await replyTo(old.ts, 'We change the old plan.', 0.5)
  await replyTo(ancient.ts, 'Out of sight.', 0.4)
  const seen = await read({ channel: '#later' })
  expect(seen).toMatch(
    /0 messages, 1 thread \(1 begun earlier\), all read: #later from .*, with replies in threads begun since \d{4}-\d\d-\d\d/,
  )
  expect(seen).toContain(`@Alice: We change the old plan.\n  ${linkTo(fresh)}?thread_ts=${old.ts}&cid=${LATER}`)
  expect(seen).toMatch(/@Bob: The old plan[^]*\(1 more reply in the thread\)/)
  expect(seen).not.toMatch(/reply of then|quiet plan|Nobody goes on|ancient|Out of sight/)
})

test('the root of the question’s own thread is not counted', async () => {
  const EMPTY = 'C0EMPTY0001'
  slack.addChannel(EMPTY, { name: 'empty', members: new Set([ALICE, BOB, BOT_USER]) })
  model.on('Is it empty?', act('I read.', 'read_channel', '{"channel":"#empty"}'), finish('Read.'))
  await (await bot.ask('Is it empty?', { channel: EMPTY })).ended()
  expect(model.about('Is it empty?').at(-1)?.prompt).toContain('0 messages, 0 threads, all read: #empty')
})

test('a long channel is read in parts without omissions', async () => {
  for (let i = 1; i <= 40; i++) await slack.say({ user: BOB, channel: RANDOM, text: `Entry ${i}: ${'x'.repeat(600)}` })
  const parts = [await read({ channel: '#random' }), await read({ channel: '#random', part: 2 })]
  expect(parts[0]).toMatch(/40 messages, 0 threads, part 1 of \d: #random/)
  expect(parts[0]).toContain('Read part 2 too.')
  const most = Number(/part 1 of (\d)/.exec(parts[0]!)?.[1])
  for (let part = 3; part <= most; part++) parts.push(await read({ channel: '#random', part }))
  const entries = parts.join('').match(/Entry \d+:/g) ?? []
  expect(new Set(entries).size).toBe(40)
  expect(parts.join('')).not.toContain('characters cut')
  expect(await read({ channel: '#random', part: most + 1 })).toContain(`There are only ${most} parts.`)
})

test('a channel is read only if the bot and the asker are in it, and nobody else sees a private one', async () => {
  await slack.say({ user: BOB, channel: PRIVATE, text: 'We sell on Friday.' })
  await slack.say({ user: BOB, channel: WITHOUT_ALICE, text: 'We sell on Monday.' })
  expect(await read({ channel: PRIVATE }, { channel: PRIVATE })).toContain('We sell on Friday.')
  expect(await read({ channel: '#board' }, { channel: 'D' })).toContain('We sell on Friday.')
  for (const channel of [PRIVATE, '#board']) {
    const seen = await read({ channel }, { channel: GENERAL })
    expect(seen).toContain('That is in a private conversation')
    expect(seen).not.toContain('Friday')
  }
  expect(await read({ channel: WITHOUT_ALICE }, { channel: 'D' })).toContain('the asker is not in that channel')
  for (const channel of ['#secret', '#quiet', '#nowhere', WITHOUT_BOT])
    expect(await read({ channel }, { channel: 'D' })).toContain('I am not a member, or it does not exist')
  expect(await read({ channel: `D${BOB.slice(1)}` })).toContain('That is in a private conversation')
})

test('no other channel is read for an answer that another company sees; a private answer may', async () => {
  await slack.say({ user: BOB, channel: OPS, text: 'Our margin is 40%.' })
  const here = slack.store.channel(GENERAL)
  here.shared = true
  const seen = await read({ channel: '#ops' }, { channel: GENERAL })
  here.shared = false
  expect(seen).toContain('Not everyone who reads here may see that channel')
  expect(seen).not.toContain('40%')
  expect(await read({ channel: '#ops' }, { channel: 'D' })).toContain('40%')
  expect(await read({ channel: '#ops' }, { channel: GENERAL })).toContain('40%')
  // Slack does not say who is in a group message, because the app does not request `mpim:read`.
  const where = ({ channel }: Json) => channel === GENERAL
  slack.fault({ method: 'conversations.info', error: 'missing_scope', where })
  expect(await read({ channel: '#ops' }, { channel: GENERAL })).toContain('40%')
})

test('an invalid time, and a missing last run, are reported to the model', async () => {
  expect(await read({ channel: 'ops', since: 'last run' })).toContain('There was no last run')
  expect(await read({ channel: 'ops', since: 'the other day' })).toContain('is not a time that I can read')
  expect(await read({ channel: 'ops', since: '2999-01-01' })).toContain('in the future')
})

test('the last run of a schedule is the last one with an answer or nothing to report', () => {
  const run = (end: ScheduleRun['end'], due: number): ScheduleRun => ({ occurrence: `${due}`, due, at: due + 9, end })
  const schedule: Schedule = {
    ...{ id: 's1', team: 'T1', channel: OPS, user: ALICE, createdAt: 0, text: 'x', question: 'x', state: 'active' },
    ...{ when: { kind: 'every', minutes: 60, start: 0, zone: 'UTC' }, failures: 0, spent: {} },
    place: { isPrivate: false, isShared: false, isMember: true },
    runs: [run('missed', 4), run('failed', 3), run('quiet', 2), run('answered', 1)],
  }
  const begin = { kind: 'due' as const, at: 5, now: 5 }
  expect(occurrenceOf(schedule, begin).schedule.lastRunAt).toBe(2)
  expect(occurrenceOf({ ...schedule, runs: [] }, begin).schedule).not.toHaveProperty('lastRunAt')
})

test('times are read in the asker’s zone, over daylight saving', () => {
  const now = Date.parse('2026-10-26T00:30:00Z') // Monday, 01:30 in Berlin. The clock was put back on Sunday.
  const zone = 'Europe/Berlin'
  const at = (words: string, isEnd = false, lastRunAt?: number) => {
    const time = readTime(words, { zone, now, lastRunAt }, { isEnd })
    return time === undefined ? undefined : new Date(time).toISOString()
  }
  expect(at('today')).toBe('2026-10-25T23:00:00.000Z')
  expect([at('yesterday'), at('Yesterday', true)]).toEqual(['2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'])
  expect([at('friday'), at('last Monday'), at('sunday')]).toEqual([
    '2026-10-22T22:00:00.000Z',
    '2026-10-18T22:00:00.000Z',
    '2026-10-24T22:00:00.000Z',
  ])
  expect(at('2026-10-23')).toBe('2026-10-22T22:00:00.000Z')
  expect(at('2026-10-23T14:00')).toBe('2026-10-23T12:00:00.000Z')
  expect(at('2026-10-23T14:00:00Z')).toBe('2026-10-23T14:00:00.000Z')
  expect(at('2026-10-23 14:00+0300')).toBe('2026-10-23T11:00:00.000Z')
  expect([at('last run'), at('last run', false, 0)]).toEqual([undefined, '1970-01-01T00:00:00.000Z'])
  expect(['2026-13-45', '2026-02-30T99:99', 'soon', ''].map((words) => at(words))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
