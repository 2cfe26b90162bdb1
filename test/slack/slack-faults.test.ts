import { describe, expect, test } from 'vitest'
import { BOB, GENERAL, type Fault } from '../../playground/slack/slack.ts'
import { startBot, type TestBot, type Thread } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { deferred } from '../harness/stores.ts'

const ends = fileEnds()
const bot = await startBot(ends)
const { slack, model } = bot

/**
 * Checks the final messages of the thread of `name`: two steps and the answer, each once. Without blocks, a message has
 * the tool's own name.
 */
function expectWhole(thread: Thread, name: string): void {
  const sum = (n: number) => `💭 ${name} ${n}\n🔧 Calculator ${n}+1\n👁 ${n + 1}`
  expect(thread.shown().map((text) => text.replace(/[*`]/g, '').replace('🔧 calculator', '🔧 Calculator'))).toEqual([
    sum(1),
    sum(2),
    expect.stringMatching(new RegExp(`^${name} answered\n2 steps`)),
  ])
}

function plays(to: TestBot, name: string): void {
  to.model.on(
    name,
    act(`${name} 1`, 'calculator', '1+1'),
    act(`${name} 2`, 'calculator', '2+1'),
    finish(`${name} answered`),
  )
}

let count = 0
async function asked(channel = freshChannel()): Promise<{ thread: Thread; name: string }> {
  const name = `fault-${count++}-`
  plays(bot, name)
  return { name, thread: await bot.mention(`Work on ${name}`, { channel }) }
}

/** Returns a new channel, so that the test's faults affect no other test. */
function freshChannel(): string {
  return slack.addChannel(`C0FAULT${String(count++).padStart(4, '0')}`).id
}

describe.concurrent('a call that fails', () => {
  test.each<[string, Fault]>([
    ['a post is refused for a second', { method: 'chat.postMessage', retryAfter: 1 }],
    ['a 429 says nothing of when', { method: 'chat.postMessage', status: 429 }],
    ['an update is refused for a second', { method: 'chat.update', retryAfter: 1 }],
    ['a post is cut before it took effect', { method: 'chat.postMessage', dropBefore: true }],
    ['a post is cut after it took effect', { method: 'chat.postMessage', dropAfter: true }],
    ['two posts are cut after they took effect', { method: 'chat.postMessage', dropAfter: true, times: 2 }],
    ['an update is cut before it took effect', { method: 'chat.update', dropBefore: true }],
    ['an update is cut after it took effect', { method: 'chat.update', dropAfter: true }],
    ['a post meets a 500', { method: 'chat.postMessage', status: 500, error: 'internal_error' }],
    ['a post meets a 503 without words', { method: 'chat.postMessage', status: 503 }],
    ['a post meets internal_error', { method: 'chat.postMessage', error: 'internal_error' }],
    ['the look-up of a lost post fails too', { method: 'c*', dropAfter: true, times: 3 }],
  ])('%s: nothing is lost, nothing doubled, the order is kept', async (_, fault) => {
    const channel = freshChannel()
    slack.fault({ channel, ...fault })
    const { thread, name } = await asked(channel)
    await thread.ended()
    expectWhole(thread, name)
  })

  test('at random, before or after its effect, in eight threads at once, loses and repeats nothing', async () => {
    const channels = [freshChannel(), freshChannel()]
    for (const channel of channels) {
      slack.fault({ channel, method: 'chat.*', dropAfter: true, probability: 0.15, seed: 1 })
      slack.fault({ channel, method: 'chat.*', dropBefore: true, probability: 0.1, seed: 2 })
      slack.fault({ channel, method: 'chat.*', status: 502, probability: 0.1, seed: 3 })
      slack.fault({ channel, method: 'chat.postMessage', retryAfter: 1, probability: 0.1, seed: 4 })
    }
    const all = await Promise.all(Array.from({ length: 8 }, (_, i) => asked(channels[i % 2])))
    await Promise.all(all.map(({ thread }) => thread.ended()))
    for (const { thread, name } of all) expectWhole(thread, name)
  })

  test('without the right to look posts are uncertain: a step is not posted again, the answer is', async () => {
    const channel = freshChannel()
    slack.fault({ channel, method: 'conversations.replies', error: 'missing_scope', times: 99 })
    slack.fault({ channel, method: 'chat.postMessage', dropAfter: true, times: 1 })
    const { thread, name } = await asked(channel)
    await thread.ended()
    const shown = thread.shown()
    expect(shown.filter((text) => text.includes(`${name} 1`))).toHaveLength(1)
    expect(shown.at(-1)).toMatch(new RegExp(`^${name} answered\n2 steps`))
  })

  test('of an answer’s post leads to a look-up in a thread of hundreds, and not to a second post', async () => {
    const channel = freshChannel()
    const filled = deferred()
    model.decide('many in the thread', async () => filled.promise.then(() => finish('found')))
    const thread = await bot.mention('many in the thread?', { channel })
    for (let n = 0; n < 450; n++)
      slack.store.post(slack.store.channel(channel), { user: BOB, text: `and ${n}`, thread_ts: thread.ts })
    slack.fault({ channel, method: 'chat.postMessage', dropAfter: true })
    filled.resolve()
    const isOver = (line: string) => line.includes('question answered') && line.includes(thread.ts)
    await slack.until(() => bot.logs.some(isOver), 'the end of the run')
    expect(thread.shown()).toEqual([expect.stringMatching(/^found\n/)])
  })

  test('with 429 in one channel does not delay another', async () => {
    const channel = freshChannel()
    let isLimited = true
    slack.fault({ method: 'chat.postMessage', channel, retryAfter: 1, times: 99, where: () => isLimited })
    const held = await asked(channel)
    const free = await asked()
    await free.thread.ended()
    expectWhole(free.thread, free.name)
    expect(held.thread.messages()).toEqual([])
    isLimited = false
    await held.thread.ended()
    expectWhole(held.thread, held.name)
  })
})

describe.concurrent('a message that Slack refuses', () => {
  test('is posted as plain text, with all its words', async () => {
    const words = Array.from({ length: 1000 }, (_, i) => `word${i}`).join(' ')
    model.on('refused blocks', finish(`${words} & <end>`))
    const channel = freshChannel()
    slack.fault({ method: 'chat.postMessage', channel, error: 'invalid_blocks', times: 2 })
    const thread = await bot.mention('refused blocks', { channel })
    await thread.ended()
    const [message] = thread.messages()
    expect(message?.blocks ?? []).toEqual([])
    expect(slack.shown(message!)).toMatch(new RegExp(`^word0 .* word999 & <end>\n\n\\d+\\.\\d s`, 's'))
  })

  test('is completed as plain text', async () => {
    const channel = freshChannel()
    slack.fault({ method: 'chat.update', channel, error: 'msg_blocks_too_long' })
    const { thread, name } = await asked(channel)
    await thread.ended()
    expectWhole(thread, name)
  })
})

describe.concurrent('a place that is gone', () => {
  test('an archived channel gets no answer and no further calls; the log says why, with a reference', async () => {
    const channel = slack.addChannel('C0CLOSING01')
    const closed = deferred()
    model.decide('closing channel', async (_, n) =>
      closed.promise.then(() => (n === 0 ? act('Work.', 'calculator', '1+1') : finish('never seen'))),
    )
    const thread = await bot.mention('closing channel', { channel: channel.id })
    channel.archived = true
    closed.resolve()
    const line = await slack.until(
      () => bot.logs.find((one) => one.includes('Slack rejected the answer') && one.includes(thread.ts)),
      'the log line',
    )
    expect(JSON.parse(line)).toMatchObject({
      reference: expect.stringMatching(/^[0-9a-f]{8}$/),
      error: 'chat.postMessage: is_archived',
    })
    expect(thread.messages()).toEqual([])
    const { thread: next, name } = await asked()
    await next.ended()
    expectWhole(next, name)
  })

  test('a question that is deleted meanwhile is answered nowhere else', async () => {
    const removed = deferred()
    model.decide('deleted question', async () => removed.promise.then(() => finish('for nobody')))
    const thread = await bot.mention('deleted question')
    await slack.until(() => model.about('deleted question').length === 1, 'the call of the model')
    await slack.people.remove({ channel: GENERAL, ts: thread.ts })
    removed.resolve()
    // A status that was set before the deletion stays on a thread that is gone.
    const isOver = (line: string) => line.includes(thread.ts) && /taken back|forgotten|answered/.test(line)
    await slack.until(() => bot.logs.some(isOver), 'the end')
    await slack.settle()
    expect(slack.messages(GENERAL).some((message) => slack.shown(message).includes('for nobody'))).toBe(false)
  })

  test('a step that is deleted meanwhile is not put back, and the answer comes', async () => {
    model.on('deleted step', act('Look.', 'wikipedia', 'Dune'), finish('still answered'))
    const gate = deferred()
    bot.wiki.fault({ times: 1, hold: gate.promise })
    const thread = await bot.mention('deleted step')
    const [step] = await slack.until(() => (thread.messages().length > 0 ? thread.messages() : undefined), 'the step')
    await slack.people.remove({ channel: GENERAL, ts: step!.ts })
    gate.resolve()
    expect(await thread.lastAnswer()).toMatch(/^still answered\n/)
    expect(thread.shown()).toHaveLength(1)
  })
})

describe.concurrent('the sign of life', () => {
  const refused: Fault = { method: 'assistant.threads.setStatus', error: 'not_allowed_token_type', times: 1 }
  const failure = {
    status: 401,
    body: { error: { message: 'no', type: 'invalid_request_error', code: 'invalid_api_key' } },
  }

  test.each<[string, Fault[]]>([
    ['where a status is refused', [refused]],
    ['where the answer to a status is lost', [{ method: 'assistant.threads.setStatus', dropAfter: true }]],
    ['where the answer to the reaction is lost', [refused, { method: 'reactions.add', dropAfter: true }]],
  ])('%s, a reaction shows it, and is taken back', async (_, faults) => {
    const channel = freshChannel()
    for (const fault of faults) slack.fault({ ...fault, channel })
    const seen = deferred()
    model.decide(`reaction in ${channel}`, async () => seen.promise.then(() => finish('done')))
    const thread = await bot.mention(`a reaction in ${channel}?`, { channel })
    await slack.until(() => slack.reactions(channel, thread.ts).length > 0, 'the reaction')
    expect(thread.messages()).toEqual([])
    seen.resolve()
    await thread.ended()
    expect([thread.status(), slack.reactions(channel, thread.ts)]).toEqual(['', []])
  })

  test.each<[string, Fault[]]>([
    ['a status', []],
    ['a reaction', [refused]],
  ])('%s is taken back after a failure too', async (_, faults) => {
    const channel = freshChannel()
    for (const fault of faults) slack.fault({ ...fault, channel })
    const seen = deferred()
    model.decide(`failing in ${channel}`, async () => seen.promise.then(() => failure))
    const thread = await bot.mention(`failing in ${channel}`, { channel })
    await slack.until(() => !thread.isAtRest(), 'a sign')
    expect(thread.messages()).toEqual([])
    seen.resolve()
    expect(await thread.ended()).toMatch(/refused my key/)
    expect([thread.status(), slack.reactions(channel, thread.ts)]).toEqual(['', []])
  })

  test('if both are refused, the answer still comes', async () => {
    const channel = freshChannel()
    slack.fault({ ...refused, channel })
    slack.fault({ method: 'reactions.add', error: 'missing_scope', channel })
    const { thread, name } = await asked(channel)
    await thread.ended()
    expectWhole(thread, name)
  })
})

describe.concurrent('Socket Mode', () => {
  test.each<[string, (to: TestBot) => void]>([
    ['is asked to connect anew', ({ slack }) => slack.sockets.refresh()],
    ['is cut without a word', ({ slack }) => slack.sockets.cut()],
  ])('that %s loses no question and doubles none', async (what, interrupt) => {
    const socket = await startBot(ends, {
      mode: 'socket',
      slack: { ackMs: 1000, retryMs: [200, 500, 1000, 2000, 4000, 8000, 8000] },
    })
    plays(socket, what)
    interrupt(socket)
    const thread = await socket.mention(`Work on ${what}`)
    await thread.ended()
    await socket.slack.settle(200)
    expectWhole(thread, what)
  })
})

test('Slack would have refused nothing', () => {
  expect(slack.refusals).toEqual([])
})
