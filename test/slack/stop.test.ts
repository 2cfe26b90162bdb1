/** People stop the bot's work in each possible way, with the worker in the same or another process. */
import { describe, expect, test } from 'vitest'
import { Redis } from 'ioredis'
import { ALICE, BOB, BOT_USER, GENERAL, TEAM } from '../../playground/slack/slack.ts'
import { STOP } from '../../src/slack/format/action-ids.ts'
import { isStopWord } from '../../src/slack/intake/stop-runs.ts'
import type { Thread } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { deferred } from '../harness/stores.ts'
import { atSecondThought, steeredBot, type Way } from '../harness/steered-bot.ts'

const ends = fileEnds()
const STOPPED = /^_I was asked to stop\._\nThis is what I had found:\s+• Calculator: 2\n/
const ASK = `<@${BOT_USER}>`
const FORBIDDEN = 'Only the person who asked can stop this question.'
const WITHDRAWN = /^Your question was removed before I started on it/

type Bot = Awaited<ReturnType<typeof steeredBot>>

/** Presses the button on the step's message, as with a card. */
async function pressStop({ slack }: Bot, thread: Thread, user?: string): Promise<void> {
  const message = thread.messages().at(-1)!
  const value = String((message.metadata as { event_payload: { run: string } }).event_payload.run)
  const button = { type: 'button', action_id: STOP, value, text: { type: 'plain_text', text: 'Stop' } }
  message.blocks = [...(message.blocks ?? []), { type: 'actions', elements: [button] }]
  await slack.press({ channel: thread.channel, ts: message.ts, ...(user ? { user } : {}) }, { action_id: STOP })
}

const WAYS: [name: string, stop: (thread: Thread, bot: Bot) => Promise<unknown>][] = [
  ['the word stop', (thread) => thread.reply('stop')],
  ['Cancel! with a mention', (thread) => thread.reply(`${ASK}: *Cancel!*`)],
  ['❌ on the question', (thread) => thread.react('x', { ts: thread.ts })],
  ['🛑 on a step', (thread) => thread.react('octagonal_sign', { ts: thread.messages()[0]!.ts })],
  ['Slack’s own Stop', (thread) => thread.pressStop()],
  ['the button', (thread, bot) => pressStop(bot, thread)],
]

function stopping(way: Way): void {
  test.for(WAYS)('%s: the model is cut off, the findings are posted, and nothing is asked', async ([name, stop], t) => {
    const bot = await steeredBot(t, way, { slack: { agent: true } })
    const thread = await atSecondThought(bot, name, () => bot.mention(`${name}?`))
    await stop(thread, bot)
    await bot.slack.until(() => thread.endings().length === 1 && thread.status() === '', 'the end')
    expect(thread.endings()).toEqual([expect.stringMatching(STOPPED)])
    await bot.slack.until(() => bot.model.about(name)[1]?.aborted, 'the end of the call')
    expect(bot.model.about(name)).toMatchObject([{ aborted: false }, { aborted: true }])
    await bot.slack.settle()
    expect(bot.model.requests).toHaveLength(2)
    expect([...thread.ephemerals(), ...thread.ephemerals(BOB)]).toEqual([])
    expect(thread.messages()).toHaveLength(2)
  })

  test('a run that waits for an approval is stopped by the word too', async (t) => {
    const bot = await steeredBot(t, way, { env: { CUSTOM_TOOLS_DIR: 'test/chaos/tools' } })
    bot.model.on('guarded', act('I may not.', 'guarded_ledger', 'x'))
    const thread = await bot.mention('guarded?')
    await bot.slack.until(() => thread.steps().length === 1, 'the step')
    await bot.slack.settle()
    await thread.reply('stop')
    await bot.slack.until(() => thread.endings().length === 1, 'the end')
    expect(thread.endings()).toEqual([
      expect.stringMatching(/^_I was asked to stop\._\nI had not found anything yet\./),
    ])
    expect(bot.model.requests).toHaveLength(1)
  })
}

describe('with the worker in the same process', () => {
  stopping({})

  test('in a direct message the word is enough, in the thread or outside it', async (t) => {
    const bot = await steeredBot(t, {})
    const beside = await atSecondThought(bot, 'beside', () => bot.dm('beside?'))
    await bot.dm('Stop.')
    await bot.slack.until(() => beside.endings().length === 1, 'the end')
    bot.model.condenses('within', 'within?')
    const within = await atSecondThought(bot, 'within', () => bot.dm('within?'))
    await within.reply('cancel')
    await bot.slack.until(() => within.endings().length === 1, 'the other end')
    expect([...beside.endings(), ...within.endings()]).toEqual([
      expect.stringMatching(STOPPED),
      expect.stringMatching(STOPPED),
    ])
    await bot.dm('stop')
    await bot.slack.until(() => beside.ephemerals().length === 1, 'the word')
    expect(beside.ephemerals()).toEqual([expect.stringMatching(/^There is nothing to stop/)])
    expect(bot.model.requests).toHaveLength(5)
  })

  test('a reply is stopped by a reaction too, and an /ask by one on its root', async (t) => {
    const bot = await steeredBot(t, {})
    const { ts } = await bot.slack.say({ text: 'Nice weather.' })
    const said = await bot.mention('a reply', { thread_ts: ts })
    bot.model.on('a reply', { hang: true })
    await bot.slack.until(() => bot.model.about('a reply').length === 1, 'the model at work')
    await said.react('x')
    await bot.slack.until(() => said.endings().length === 1, 'the end')
    bot.model.on('a command', { hang: true })
    const asked = await bot.ask('a command')
    await bot.slack.until(() => bot.model.about('a command').length === 1, 'the model at work')
    await asked.react('x', { ts: asked.ts })
    await bot.slack.until(() => asked.endings().length === 1, 'the other end')
    expect([...said.endings(), ...asked.endings()].join()).toMatch(/asked to stop[^]*asked to stop/)
  })

  test('a late word stops no later question', async (t) => {
    const bot = await steeredBot(t, {})
    const { ts } = await bot.slack.say({ text: 'stop' })
    const thread = await atSecondThought(bot, 'since', () => bot.mention('since?'))
    const late = { type: 'message', channel: GENERAL, channel_type: 'channel', user: ALICE, text: 'stop' }
    await bot.slack.people.event({ ...late, ts, thread_ts: thread.ts })?.first
    await bot.slack.settle()
    expect(bot.model.requests.map(({ aborted }) => aborted)).toEqual([false, false])
  })

  test('others may not: they get one ephemeral refusal, and the run continues', async (t) => {
    const bot = await steeredBot(t, {})
    const thread = await atSecondThought(bot, 'mine', () => bot.mention('mine?'))
    const stops = WAYS.map(([, stop]) => stop)
    const others = [
      () => thread.reply('stop', { user: BOB }),
      () => thread.reply(`${ASK} stop`, { user: BOB }),
      () => thread.react('x', { user: BOB, ts: thread.ts }),
      () => thread.react('x', { user: BOB, ts: thread.messages()[0]!.ts }),
      () => thread.pressStop(BOB),
      () => pressStop(bot, thread, BOB),
    ]
    expect(others).toHaveLength(stops.length)
    for (const [n, stop] of others.entries()) {
      await stop()
      await bot.slack.until(() => thread.ephemerals(BOB).length === n + 1, `the word ${n + 1}`)
    }
    await bot.slack.settle()
    expect(thread.ephemerals(BOB)).toEqual(others.map(() => FORBIDDEN))
    expect([thread.ephemerals(), thread.endings()]).toEqual([[], []])
    expect(bot.model.requests.map(({ aborted }) => aborted)).toEqual([false, false])
  })

  test('without a run it gives an ephemeral message, if it was meant for the bot; other reactions cost nothing', async (t) => {
    const bot = await steeredBot(t, {}, { model: [finish('Yes.')] })
    const thread = await bot.mention('anything?')
    await thread.ended()
    await bot.slack.settle()
    const { ts } = await bot.slack.say({ text: 'Nice weather.' })
    const before = bot.slack.calls.length
    await bot.slack.say({ text: 'stop', thread_ts: ts })
    await bot.slack.say({ text: 'stop' })
    for (const name of ['thumbsup', 'eyes']) await thread.react(name, { ts: thread.messages()[0]!.ts })
    await thread.react('x', { ts: thread.messages()[0]!.ts, removed: true })
    await bot.slack.settle()
    expect(bot.slack.calls.slice(before)).toEqual([])
    for (const text of ['stop', `${ASK} stop`]) await bot.slack.say({ thread_ts: thread.ts, text })
    await bot.slack.until(() => thread.ephemerals().length === 2, 'two words')
    await bot.slack.settle()
    expect(thread.ephemerals()).toEqual(Array(2).fill('There is nothing to stop: I have already finished.'))
    const told = bot.slack.calls.length
    await thread.react('x', { ts: thread.messages()[0]!.ts })
    await bot.slack.until(() => bot.slack.calls.length > told, 'the look')
    await bot.slack.settle()
    expect(bot.slack.calls.slice(told).map(({ method }) => method)).toEqual(['conversations.replies'])
    await bot.slack.slash('stop', { channel: GENERAL, user: ALICE })
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length === 3, 'a word')
    expect(bot.model.requests).toHaveLength(1)
  })
})

describeWithRedis('with the worker in another process', async () => {
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())
  stopping({ redisUrl: server.url })

  test('a waiting command with an open thread ends with a message in it', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url }, { env: { WORKER_CONCURRENCY: '2' } })
    const first = await atSecondThought(bot, 'the first', () => bot.mention('the first?'))
    const { promise: hold, resolve: letGo } = deferred()
    bot.slack.fault({ method: 'chat.postMessage', times: 1, hold })
    const command = await bot.ask('a command')
    bot.model.on('the second', { hang: true })
    await bot.mention('the second?')
    letGo()
    await bot.slack.until(() => bot.model.about('the second').length === 1, 'the second at work')
    await command.react('x', { ts: command.ts })
    await first.reply('stop')
    await bot.slack.until(() => command.endings().length === 1, 'the end')
    expect(command.endings()).toEqual([expect.stringMatching(/^_I was asked to stop\._/)])
    expect(bot.model.about('a command')).toEqual([])
  })

  test('a person’s own waiting questions are withdrawn with a message; others’ continue', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url })
    const thread = await atSecondThought(bot, 'the first', () => bot.mention('the first?'))
    bot.model.condenses('the third', 'the third?')
    bot.model.on('the third', finish('Three.'))
    await thread.reply(`${ASK} the second?`)
    await thread.reply(`${ASK} the third?`, { user: BOB })
    await thread.reply('stop')
    await bot.slack.until(() => thread.endings().length === 2, 'both ends')
    await bot.slack.until(() => thread.ephemerals().length > 0, 'the word')
    await bot.slack.settle()
    expect(thread.endings().join('\n')).toMatch(/asked to stop[^]*Three\./)
    expect(thread.ephemerals()).toEqual([expect.stringMatching(WITHDRAWN)])
    expect(bot.model.requests.filter(({ question }) => question.includes('the second'))).toEqual([])
  })

  test('if the channel lets anyone stop, others may; the asker of a withdrawn question gets a message', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url })
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    await redis.set(`${bot.prefix}:{${TEAM}:${GENERAL}}:settings`, JSON.stringify({ whoMayStop: 'anyone' }))
    const thread = await atSecondThought(bot, 'anyone’s', () => bot.mention('anyone’s?'))
    await thread.reply(`${ASK} another?`)
    const waiting = thread.said
    await bot.slack.people.react({ ...waiting, name: 'x', user: BOB })
    await bot.slack.until(() => thread.ephemerals().length + thread.ephemerals(BOB).length === 2, 'both words')
    expect(thread.ephemerals()).toEqual([expect.stringMatching(/^Somebody removed your question/)])
    await thread.reply('stop', { user: BOB })
    await bot.slack.until(() => thread.endings().length === 1, 'the end')
    expect(thread.endings()).toEqual([expect.stringMatching(STOPPED)])
  })

  test('a stop without a worker ends the run once, with the next worker, and no status stays', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url }, { slack: { agent: true } })
    const thread = await atSecondThought(bot, 'orphan', () => bot.mention('orphan?'))
    await bot.worker?.stop()
    await thread.reply('stop')
    await bot.startWorker()
    await bot.slack.until(() => thread.endings().length === 1 && thread.status() === '', 'the end')
    expect(thread.endings()).toEqual([expect.stringMatching(STOPPED)])
    expect(bot.model.requests).toHaveLength(2)
    expect(bot.slack.reactions(GENERAL, thread.ts)).toEqual([])
  })
})

test('Slack’s own Stop without a run ends the leftover session', async (t) => {
  const bot = await steeredBot(t, {}, { slack: { agent: true } })
  const { ts } = await bot.slack.say({ text: 'left behind' })
  bot.slack.store.channels.get(GENERAL)?.sessions.set(ts, { status: 'processing', title: '' })
  await bot.slack.people.stopSession({ channel: GENERAL, thread: ts })
  await bot.slack.until(() => bot.slack.session(GENERAL, ts)?.status === 'active', 'an active session')
})

test('the words must be alone, in any case and with punctuation', () => {
  const words = ['stop', 'STOP!', 'Cancel.', ' *stop* ', '…stop…', '“Cancel!”']
  expect(words.filter((word) => !isStopWord(word))).toEqual([])
  const others = ['', '.', 'stop it', 'stopwatch', 'Why did it stop?', 'non-stop', 'cancel stop', 'stop'.repeat(2)]
  expect(others.filter((text) => isStopWord(text))).toEqual([])
})

test('many ❌ on other messages cost few look-ups, and a question can be stopped afterwards', async (t) => {
  const bot = await steeredBot(t, {})
  const posts = []
  for (let n = 0; n < 100; n++) posts.push(await bot.slack.say({ user: BOB, text: `Post ${n}`, channel: GENERAL }))
  for (const { ts } of posts) await bot.slack.people.react({ channel: GENERAL, ts, name: 'x', user: BOB })
  const thread = await atSecondThought(bot, 'at all', () => bot.mention('Can it be stopped at all?'))
  await thread.react('x', { ts: thread.ts })
  await bot.slack.until(() => thread.endings().length === 1, 'the end')
  expect(bot.slack.calls.filter(({ method }) => method === 'conversations.replies').length).toBeLessThanOrEqual(60)
})
