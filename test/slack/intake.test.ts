import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { formOf, sign } from '../../playground/slack/events/deliveries.ts'
import { mentionEvent, messageEvent } from '../../playground/slack/events/event-payloads.ts'
import { BOT } from '../../playground/slack/store.ts'
import { ALICE, BOT_USER, GENERAL, TEAM, type Delivery, type Json } from '../../playground/slack/slack.ts'
import { secondBot, startBot, Thread, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, freePort, startRedis } from '../harness/redis.ts'
import { deferred } from '../harness/stores.ts'

const ends = fileEnds()

/** Creates a message that names the bot, in the channel but not yet delivered, and its two events. */
function unsent({ slack }: TestBot, text: string) {
  const channel = slack.store.channels.get(GENERAL)!
  const message = slack.store.post(channel, { user: ALICE, text: `<@${BOT_USER}> ${text}` })
  const thread = new Thread(slack, { ts: message.ts, thread: message.ts, channel: GENERAL, deliveries: [] })
  return { thread, mention: mentionEvent(channel, message), message: messageEvent(channel, message) }
}

function orders<T>(items: T[]): T[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, i) =>
    orders([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
  )
}

describe.each(['http', 'socket'] as const)('over %s', async (mode) => {
  const bot = await startBot(ends, { mode, slack: { retryMs: [] } })
  const { slack, model } = bot

  /** Delivers an event, or repeats an earlier delivery as a retry. */
  async function deliver(event: Json, sent: Map<Json, Delivery>): Promise<void> {
    const before = sent.get(event)
    if (before) return void (await slack.redeliver(before))
    const delivery = slack.people.event(event)!
    sent.set(event, delivery)
    await delivery.first
  }

  test('app_mention and message, and their redeliveries, in any order give one answer', async () => {
    model.on('in whatever order', { text: finish('once'), delayMs: 50 })
    const all = [...new Set(orders(['mention', 'mention', 'message', 'message'] as const).map((order) => order.join()))]
    const threads = all.map(async (order, i) => {
      const { thread, ...events } = unsent(bot, `in whatever order ${i}?`)
      const sent = new Map<Json, Delivery>()
      for (const name of order.split(',')) await deliver(events[name as 'mention' | 'message'], sent)
      await thread.ended()
      for (const delivery of sent.values()) expect((await slack.redeliver(delivery)).status).toBe(200)
      return thread
    })
    const done = await Promise.all(threads)
    await slack.settle(150)
    expect(done.map((thread) => thread.shown().length)).toEqual(all.map(() => 1))
    expect(model.about('in whatever order')).toHaveLength(all.length)
  })

  test('the same delivery ten times at once is one question', async () => {
    model.on('ten times', finish('ten'))
    const { thread, mention } = unsent(bot, 'ten times at once?')
    const delivery = slack.people.event(mention)!
    await Promise.all([delivery.first, ...Array.from({ length: 9 }, () => slack.redeliver(delivery))])
    await thread.ended()
    await slack.settle(150)
    expect(thread.shown()).toHaveLength(1)
    expect(delivery.attempts.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  })

  test('the ack does not wait for the model or for Slack', async () => {
    const acked = deferred()
    model.decide('ack at once', async () => acked.promise.then(() => finish('late')))
    slack.fault({ method: 'assistant.threads.setStatus', delayMs: 600 })
    const thread = await bot.mention('ack at once?')
    for (const { attempts } of thread.said.deliveries) expect(attempts[0]).toMatchObject({ status: 200 })
    acked.resolve()
    expect(await thread.lastAnswer()).toBe('late')
  })

  test('an event without a user, a text or a meaning is acked and ignored', async () => {
    const asked = model.requests.length
    const odd: Json[] = [
      { type: 'message', channel: GENERAL, channel_type: 'channel', ts: '1.1', event_ts: '1.1' },
      {
        type: 'message',
        channel: GENERAL,
        channel_type: 'channel',
        user: ALICE,
        ts: '1.2',
        event_ts: '1.2',
        blocks: [],
      },
      { type: 'app_mention', channel: GENERAL, ts: '1.3', event_ts: '1.3', text: `<@${BOT_USER}> x` },
      {
        type: 'message',
        channel: GENERAL,
        channel_type: 'channel',
        user: ALICE,
        subtype: 'brand_new_subtype',
        text: `<@${BOT_USER}> x`,
        ts: '1.4',
        event_ts: '1.4',
      },
      { type: 'brand_new_event', event_ts: '1.5' },
    ]
    for (const event of odd) expect(await slack.people.event(event)!.first).toMatchObject({ status: 200 })
    await slack.settle(150)
    expect(model.requests.length).toBe(asked)
  })
})

test('a bot that has lost its memory of an answer posts nothing when the event is repeated', async (t) => {
  const first = await startBot(t, { slack: { retryMs: [] } })
  first.model.on('forgotten', act('A sum.', 'calculator', '2+2'), finish('It is 4.'))
  const thread = await first.mention('forgotten?')
  await thread.ended()
  const [calls, before] = [first.model.requests.length, thread.messages()]
  await first.stop()
  const second = await secondBot(t, first)
  first.slack.setTarget(`http://127.0.0.1:${second.port}/slack/events`)
  first.model.on('forgotten', act('A sum.', 'calculator', '2+2'), finish('It is 4.'))
  const [delivery] = thread.said.deliveries
  expect((await first.slack.redeliver(delivery!)).status).toBe(200)
  await first.slack.until(() => first.model.requests.length === calls * 2, 'the same work again')
  await first.slack.settle(300)
  expect(thread.messages().map(({ ts, text }) => ({ ts, text }))).toEqual(before.map(({ ts, text }) => ({ ts, text })))
})

test.for([
  ['by another app', { user: 'U0OTHERBOT1', bot_id: 'B0OTHERBOT1' }, 'Ours.'],
  ['by another app that has no user', { bot_id: 'B0OTHERBOT1' }, 'Ours.'],
  ['by nobody', {}, 'Ours.'],
  ['by our bot, whose user Slack leaves out', { bot_id: BOT }, undefined],
] as const)('of posts that are marked as ours, one %s', async ([, by, answer], t) => {
  const bot = await startBot(t, { slack: { retryMs: [] }, model: [finish('Ours.')] })
  const { thread, mention } = unsent(bot, 'marked by somebody?')
  const run = `${TEAM}:${GENERAL}:${thread.ts}`
  bot.slack.store.post(bot.slack.store.channels.get(GENERAL)!, {
    ...{ ...by, thread_ts: thread.ts, text: 'There already.' },
    metadata: { event_type: 'thinkaloud_post', event_payload: { run, step: 'answer-1' } },
  })
  bot.slack.setTarget('http://127.0.0.1:9/')
  const delivery = bot.slack.people.event(mention)!
  await delivery.first
  bot.slack.setTarget(`http://127.0.0.1:${bot.bot.port}/slack/events`)
  expect((await bot.slack.redeliver(delivery)).status).toBe(200)
  const isOver = (line: string) => line.includes('question answered') && line.includes(thread.ts)
  await bot.slack.until(() => bot.logs.some(isOver), 'the end of the run')
  expect(thread.endings().map((text) => text.split('\n')[0])).toEqual(answer === undefined ? [] : [answer])
})

describe('the HTTP endpoint', async () => {
  const bot = await startBot(ends)
  const base = `http://127.0.0.1:${bot.bot.port}`

  function post(
    body: string,
    { at = Math.floor(Date.now() / 1000), secret = bot.slack.signingSecret, type = 'application/json' } = {},
  ) {
    const headers = {
      'content-type': type,
      'x-slack-request-timestamp': String(at),
      'x-slack-signature': sign(secret, String(at), body),
    }
    return fetch(`${base}/slack/events`, { method: 'POST', body, headers })
  }

  test('Slack’s challenge is answered', async () => {
    const response = await post(JSON.stringify({ type: 'url_verification', challenge: 'c-1' }))
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('c-1')])
  })

  test('another secret, an old request and a missing signature are rejected', async () => {
    const body = JSON.stringify({
      type: 'event_callback',
      event: { type: 'app_mention', user: ALICE, text: 'x', ts: '1.1', channel: GENERAL },
    })
    expect((await post(body, { secret: 'another' })).status).toBe(401)
    expect((await post(body, { at: Math.floor(Date.now() / 1000) - 600 })).status).toBe(401)
    expect((await fetch(`${base}/slack/events`, { method: 'POST', body })).status).toBe(401)
  })

  test('a hundred invalid requests give one line in the log', async (t) => {
    const other = await startBot(t)
    const knock = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${other.bot.port}/slack/events`, { method: 'POST', body: '{}', headers })
    const old = String(Math.floor(Date.now() / 1000) - 600)
    const knocks: Record<string, string>[] = [
      {},
      { 'x-slack-signature': 'v0=00', 'x-slack-request-timestamp': '9999999999' },
      { 'x-slack-signature': 'v0=00', 'x-slack-request-timestamp': old },
      { 'x-slack-signature': 'v9', 'x-slack-request-timestamp': '9999999999' },
    ]
    for (let i = 0; i < 100; i++) expect((await knock(knocks[i % 4]!)).status).toBe(401)
    const lines = other.logs.map((line) => JSON.parse(line) as { level: number; msg: string })
    expect(lines.filter(({ level }) => level > 30)).toMatchObject([
      { level: 40, msg: 'rejected a request', reason: expect.stringContaining('x-slack-signature') },
    ])
  })

  test('invalid JSON, unknown events and unknown paths are refused, and the bot keeps running', async () => {
    expect((await post('{"no json')).status).toBeGreaterThanOrEqual(400)
    expect((await post('payload=%7B', { type: 'application/x-www-form-urlencoded' })).status).toBeGreaterThanOrEqual(
      400,
    )
    expect((await post('x'.repeat(3_000_000))).status).toBeGreaterThanOrEqual(400)
    for (const path of ['/', '//', '/slack', '/slack/events/x', '/%', '/healthz/../x', '/__proto__'])
      expect([path, (await rawGet(bot.bot.port, path)).slice(0, 12)]).toEqual([path, 'HTTP/1.1 404'])
    expect((await fetch(`${base}/healthz`)).status).toBe(200)
    expect((await fetch(`${base}/readyz`)).status).toBe(200)
  })

  test('a payload without a listener is refused at once, and logged', async () => {
    const press = { type: 'block_actions', team: { id: TEAM }, user: { id: ALICE }, actions: [{ action_id: 'of_old' }] }
    const command = { command: '/other', text: 'x', team_id: TEAM, channel_id: GENERAL, user_id: ALICE }
    const type = 'application/x-www-form-urlencoded'
    const from = bot.logs.length
    expect((await post(formOf('interactive', press), { type })).status).toBe(404)
    expect((await post(formOf('slash_commands', command), { type })).status).toBe(404)
    const lines = bot.logs.slice(from).join('\n')
    expect(lines.match(/no listener takes a delivery: not acked/g)).toHaveLength(2)
    expect(lines).not.toContain('stored')
  })

  test('half a request does not delay the stop', async (t) => {
    const other = await startBot(t)
    const socket = connect(other.bot.port, '127.0.0.1')
    t.onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    socket.write('POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf')
    await other.slack.until(() => socket.readyState === 'open', 'the connection')
    await other.stop()
  })

  test('a command with a wrong signature runs nothing', async () => {
    const form = new URLSearchParams({
      command: '/ask',
      text: 'x',
      channel_id: GENERAL,
      user_id: ALICE,
      trigger_id: '1',
      response_url: base,
    })
    const response = await post(form.toString(), { secret: 'another', type: 'application/x-www-form-urlencoded' })
    expect(response.status).toBe(401)
    expect(bot.slack.messages(GENERAL)).toEqual([])
  })
})

/** Sends a GET whose path is not normalised by a client library. */
function rawGet(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    )
    let text = ''
    socket.on('data', (data) => (text += String(data)))
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

describeWithRedis('when the store is down', () => {
  test.each(['http', 'socket'] as const)(
    'a delivery over %s is not acked, and answered once when it comes again',
    async (mode) => {
      const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
      ends.onTestFinished(() => redis.stop())
      // Over a socket nothing is refused, so only Slack's time limit shows that an event was not acked.
      const ackMs = mode === 'http' ? 60_000 : 3_000
      const bot = await startBot(ends, { mode, env: { REDIS_URL: redis.url }, slack: { ackMs, retryMs: [] } })
      bot.model.on('store is down', finish('it is up again'))
      await redis.kill()
      const thread = await bot.mention('The store is down?')
      const first = thread.said.deliveries.map(({ attempts }) => attempts[0]?.status)
      expect(first).toEqual(mode === 'http' ? [500, 500] : [0, 0])
      expect(thread.messages()).toEqual([])
      const refused = () => bot.logs.filter((line) => line.includes('a delivery could not be stored'))
      await bot.slack.until(() => refused().length >= 2, 'both refusals')
      expect(refused()).toHaveLength(2)
      expect(bot.logs.join('\n')).not.toContain('unhandled error')
      await redis.restart()
      await bot.slack.until(
        async () =>
          (await Promise.all(thread.said.deliveries.map((one) => bot.slack.redeliver(one)))).every(
            ({ status }) => status === 200,
          ),
        'acks',
      )
      expect(await thread.lastAnswer()).toBe('it is up again')
      await bot.slack.settle(200)
      expect(thread.shown()).toHaveLength(1)
    },
  )
})

test('a reply delivered before its thread’s mention is answered after it', async (t) => {
  const bot = await startBot(t, { slack: { retryMs: [] } })
  const { slack, model } = bot
  model.on('is it late', finish('The first.'))
  model.on('and this', finish('The second.'))
  model.condenses('and this', 'and this?')
  slack.setTarget(`http://127.0.0.1:${await freePort()}/slack/events`)
  const said = await slack.mention('is it late?', { channel: GENERAL })
  await Promise.all(said.deliveries.map(({ done }) => done))
  slack.setTarget(`http://127.0.0.1:${bot.bot.port}/slack/events`)
  const early = await slack.say({ channel: GENERAL, thread_ts: said.ts, text: 'and this?' })
  await Promise.all(early.deliveries.map(({ done }) => done))
  for (const delivery of said.deliveries) expect((await slack.redeliver(delivery)).status).toBe(200)
  const thread = new Thread(slack, { ...said, channel: GENERAL, thread: said.ts })
  await slack.until(() => thread.endings().length === 2, 'both answers')
  await slack.settle(200)
  expect(thread.endings()).toEqual([expect.stringContaining('The first.'), expect.stringContaining('The second.')])
})
