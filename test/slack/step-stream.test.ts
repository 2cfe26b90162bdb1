import { describe, expect, test } from 'vitest'
import type { Fault } from '../../src/playground/slack.ts'
import { secondBot, startBot, type Thread } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'

const bot = await startBot(fileEnds(), { env: { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' } })
const { slack } = bot
let count = 0

/** A question of two steps in a channel of its own, with these faults before it. */
async function asked(faults: Fault[], { slack, model, mention } = bot): Promise<{ thread: Thread; name: string }> {
  const name = `stream-${count++}-`
  const channel = slack.addChannel(`C0STREAM${String(count).padStart(3, '0')}`).id
  for (const fault of faults) slack.fault({ ...fault, channel })
  model.on(
    name,
    act(`${name} <!channel> one`, 'calculator', '1+1'),
    act(`${name} two`, 'teleport', 'Mars'),
    finish(`${name} answered`),
  )
  const thread = await mention(`Work on ${name}`, { channel })
  await thread.ended()
  return { thread, name }
}

describe.concurrent('STEPS=stream', () => {
  test.for<[string, Fault]>([
    ['may not be begun', { method: 'chat.startStream', error: 'channel_type_not_supported' }],
    ['is not known to this Slack', { method: 'chat.startStream', error: 'unknown_method' }],
    ['is limited', { method: 'chat.startStream', retryAfter: 30 }],
    ['dies on the way', { method: 'chat.appendStream', error: 'message_not_in_streaming_state' }],
    ['is cut', { method: 'chat.appendStream', dropBefore: true }],
  ])('where a stream %s, the steps are on a card from there, and none is lost', async ([, fault], t) => {
    // What Slack limits, or does not know, it does so in the whole workspace.
    const own =
      fault.retryAfter || fault.error === 'unknown_method'
        ? await startBot(t, { env: { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' } })
        : bot
    const { thread, name } = await asked([fault], own)
    const isFolded = () => thread.shown().some((text) => text.startsWith('2 steps, '))
    await own.slack.until(isFolded, 'the folded card')
    const shown = thread.shown().join('\n')
    for (const part of ['calculator', '1+1', 'teleport', 'Mars', 'There is no tool']) expect(shown).toContain(part)
    expect(thread.shown().at(-1)).toMatch(new RegExp(`^${name} answered\n2 steps`))
    expect(thread.messages().filter((message) => message.streaming_state === 'in_progress')).toEqual([])
  })

  test('a stream that Slack does not end at first is ended after the answer', async () => {
    const { thread } = await asked([{ method: 'chat.stopStream', status: 503 }])
    const isDone = () => thread.messages()[0]?.streaming_state === 'completed'
    await slack.until(isDone, 'the end of the stream')
    expect(thread.messages()).toHaveLength(2)
  })

  test('a stream that began without our hearing of it is found and gone on with', async () => {
    const { thread } = await asked([{ method: 'chat.startStream', dropAfter: true }])
    const streams = thread.messages().filter((message) => message.streaming_state !== undefined)
    expect(streams.map(({ streaming_state }) => streaming_state)).toEqual(['completed'])
    expect(thread.steps()).toEqual([])
  })
})

describeWithRedis('a stream whose process ends', () => {
  test('is left open for the next process, which goes on with it and ends it once', async (t) => {
    const server = await startRedis()
    t.onTestFinished(() => server.stop())
    const env = { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true', REDIS_URL: server.url, SHUTDOWN_MS: '500' }
    const first = await startBot(t, { env })
    first.model.on('handed over', act('One.', 'calculator', '1+1'), { hang: true })
    const thread = await first.mention('Is it handed over?')
    const { slack, model } = first
    await slack.until(
      () => model.about('handed over').length === 2 && thread.messages().length === 1,
      'the second call',
    )
    await first.stop()
    expect(thread.messages()[0]).toMatchObject({ streaming_state: 'in_progress' })
    model.on('handed over', act('Two.', 'calculator', '2+2'), finish('Handed over.'))
    await secondBot(t, first, env)
    expect(await thread.lastAnswer()).toBe('Handed over.')
    await slack.until(() => thread.messages()[0]?.streaming_state === 'completed', 'the end of the stream')
    expect([thread.messages().length, thread.steps()]).toEqual([2, []])
    const methods = slack.calls.filter(({ ok }) => ok).map(({ method }) => method)
    expect(methods.filter((method) => /(?:start|stop)Stream/.test(method))).toEqual([
      'chat.startStream',
      'chat.stopStream',
    ])
  })
})

test('nobody is pinged, and Slack would have refused nothing', () => {
  expect([slack.pings(), slack.refusals]).toEqual([[], []])
})
