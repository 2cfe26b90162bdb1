/** The Slack calls of a question beside its replies: a status while it takes its time, and none for its files. */
import { describe, expect, test } from 'vitest'
import { messageEvent } from '../../playground/slack/events/event-payloads.ts'
import type { LocalSlack } from '../../playground/slack/slack.ts'
import { startBot, Thread, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { textFile } from '../harness/said-files.ts'
import { deferred } from '../harness/stores.ts'

const bot = await startBot(fileEnds())
const { slack, model } = bot
// The first question learns that the app has no sessions.
model.on('warm up', finish('Warm.'))
await (await bot.mention('warm up')).ended()
let count = 0

const freshChannel = (slack: LocalSlack) => slack.addChannel(`C0FEWER${String(count++).padStart(4, '0')}`).id
/** The calls in a channel. What a channel is called is looked up once, not for each question. */
const callsIn = (slack: LocalSlack, channel: string) =>
  slack.calls
    .filter(
      ({ method, args }) => method !== 'conversations.info' && [args['channel'], args['channel_id']].includes(channel),
    )
    .map(({ method }) => method)

const statuses = (channel: string) =>
  slack.calls.flatMap(({ method, args }) =>
    method === 'assistant.threads.setStatus' && args['channel_id'] === channel ? [args['status']] : [],
  )

describe.concurrent('a question in a thread', () => {
  test('that is answered at once costs its replies alone', async () => {
    const channel = freshChannel(slack)
    model.on(`quick in ${channel}`, finish('Quick.'))
    const thread = await bot.mention(`quick in ${channel}?`, { channel })
    await thread.ended()
    await slack.settle(200)
    // Only on a busy machine does the answer take so long that a status is set.
    const beside = callsIn(slack, channel).filter((method) => !/^chat\.postMessage$|setStatus$/.test(method))
    expect(beside).toEqual([])
    expect(thread.status()).toBe('')
  })

  test('that takes its time costs one status, which the answer clears', async () => {
    const channel = freshChannel(slack)
    const gate = deferred()
    model.decide(`slow in ${channel}`, async () => gate.promise.then(() => finish('Slow.')))
    const thread = await bot.mention(`slow in ${channel}?`, { channel })
    await slack.until(() => thread.status() !== '', 'the status')
    gate.resolve()
    await thread.ended()
    await slack.settle(200)
    expect(callsIn(slack, channel)).toEqual(['assistant.threads.setStatus', 'chat.postMessage'])
    expect(thread.status()).toBe('')
  })

  test('shows no status at its end if Slack takes the status only after the answer', async () => {
    const channel = freshChannel(slack)
    slack.fault({ method: 'assistant.threads.setStatus', channel, delayMs: 600 })
    model.on(`late status in ${channel}`, { text: finish('Late.'), delayMs: 300 })
    const thread = await bot.mention(`late status in ${channel}?`, { channel })
    await thread.ended()
    await slack.until(() => statuses(channel).length === 2, 'both calls')
    expect(statuses(channel).at(-1)).toBe('')
    expect(thread.status()).toBe('')
  })
})

/** Sends a mention without its files; `send` sends its other event, which has them. */
async function mentioned({ slack }: TestBot, text: string) {
  const channel = slack.store.channels.get(freshChannel(slack))!
  const files = [textFile('notes.txt', 'The rose is green.')]
  const said = await slack.mention(text, { channel: channel.id, files, bareMention: 'alone' })
  const message = channel.messages.find(({ ts }) => ts === said.ts)!
  const send = async () => void (await slack.people.event(messageEvent(channel, message))?.first)
  return { thread: new Thread(slack, said), send }
}

const reads = (bot: TestBot, { channel }: Thread) =>
  callsIn(bot.slack, channel).filter((method) => method === 'conversations.replies').length

const WAYS = [
  ['with words', 'what colour is it, of'],
  ['of files alone', ''],
] as const

/** Whichever of the two comes first, the files are read from the event. */
function readsItsEvent(started: () => Promise<TestBot>) {
  test.for(WAYS)('a mention %s gets its files from the message event that follows it', async ([, words]) => {
    const bot = await started()
    const key = words ? `${words} ${count}` : 'Only files came'
    bot.model.on(key, finish('Green.'))
    const before = bot.model.about(key).length
    const { thread, send } = await mentioned(bot, words && `${key}?`)
    await send()
    expect(await thread.ended()).toContain('Green.')
    expect(bot.model.about(key)[before]?.prompt).toContain('The rose is green.')
    expect(reads(bot, thread)).toBe(0)
  })
}

describe('in one process', () => {
  readsItsEvent(async () => bot)

  test('without its message event, the message is looked up', async () => {
    model.on('all alone', finish('Green.'))
    const { thread } = await mentioned(bot, 'all alone?')
    expect(await thread.ended()).toContain('Green.')
    expect(model.about('all alone')[0]?.prompt).toContain('The rose is green.')
    expect(reads(bot, thread)).toBe(1)
  })
})

describeWithRedis('over Redis', () => {
  const server = suiteRedis()
  let made: Promise<TestBot> | undefined
  const ends = fileEnds()
  readsItsEvent(() => (made ??= startBot(ends, { env: { REDIS_URL: server.url } })))
})

test('Slack would have refused nothing', () => {
  expect(slack.refusals).toEqual([])
})
