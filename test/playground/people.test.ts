import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { listen, readBody } from '../../playground/base/loopback-server.ts'
import { startPage } from '../../playground/page-server/page-server.ts'
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM, type LocalSlack } from '../../playground/slack/slack.ts'
import { localSlack } from '../harness/local-slack.ts'

interface Came {
  type: string
  payload: Record<string, unknown>
}

/** Starts an app that acks everything and records deliveries. `ack` is the body of its acks. */
async function app(slack: LocalSlack, ack = '') {
  const came: Came[] = []
  const server = await listen((request, response) => {
    void readBody(request).then((body) => {
      came.push(payloadOf(body, request.headers['content-type'] ?? ''))
      response.end(ack)
    })
  })
  onTestFinished(server.close)
  slack.setTarget(server.base)
  return came
}

function payloadOf(body: string, type: string): Came {
  if (type.includes('json')) {
    const { event } = JSON.parse(body) as { event: Record<string, unknown> }
    return { type: String(event['subtype'] ?? event['type']), payload: event }
  }
  const form = Object.fromEntries(new URLSearchParams(body))
  if (form['payload'] === undefined) return { type: 'command', payload: form }
  const payload = JSON.parse(form['payload']) as Record<string, unknown>
  return { type: String(payload['type']), payload }
}

/** Calls the local Slack as the bot. */
async function call(slack: LocalSlack, method: string, args: object) {
  const headers = { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json' }
  const response = await fetch(slack.apiUrl + method, { method: 'POST', headers, body: JSON.stringify(args) })
  return (await response.json()) as { ok: boolean; ts: string }
}

const button = { type: 'button', action_id: 'go', value: 'v', text: { type: 'plain_text', text: 'Go' } }

describe('people’s actions reach the app as Slack’s payloads', () => {
  test('a message carries its author, place and time, and its text as rich text with separate mentions', async () => {
    const slack = await localSlack()
    const came = await app(slack)
    const said = await slack.mention('hello', { user: BOB })
    expect(came.map(({ type }) => type).sort()).toEqual(['app_mention', 'message'])
    for (const { payload } of came) {
      expect(payload).toMatchObject({
        user: BOB,
        channel: GENERAL,
        ts: said.ts,
        event_ts: said.ts,
        team: 'T0LOCAL0001',
      })
      expect(JSON.stringify(payload['blocks'])).toContain(`{"type":"user","user_id":"${BOT_USER}"}`)
    }
  })

  test('a reply carries its thread and the thread’s author', async () => {
    const slack = await localSlack()
    const came = await app(slack)
    const { ts } = await slack.say({ user: BOB, text: 'root' })
    const reply = await slack.say({ text: 'reply', thread_ts: ts })
    expect(reply.thread).toBe(ts)
    expect(came[1]?.payload).toMatchObject({ thread_ts: ts, parent_user_id: BOB })
  })

  test('files and broadcasts come as subtypes, bots with their id', async () => {
    const slack = await localSlack()
    const came = await app(slack)
    await slack.say({ text: 'look', subtype: 'file_share', files: [{ id: 'F1' }] })
    await slack.mention('I am a bot', { extra: { bot_id: 'B0OTHER0001' } })
    expect(came.map(({ type }) => type).sort()).toEqual(['app_mention', 'file_share', 'message'])
    expect(came[0]?.payload['files']).toEqual([{ id: 'F1' }])
    for (const { payload } of came.slice(1)) expect(payload).toMatchObject({ bot_id: 'B0OTHER0001' })
  })

  test('a command carries its channel, its asker, a trigger and an address to answer at', async () => {
    const slack = await localSlack()
    slack.addChannel('G0PRIVATE01')
    const came = await app(slack)
    await slack.slash('why & how?', { user: BOB, channel: 'G0PRIVATE01' })
    expect(came[0]).toMatchObject({
      type: 'command',
      payload: {
        command: '/ask',
        text: 'why & how?',
        user_id: BOB,
        user_name: 'bob',
        channel_id: 'G0PRIVATE01',
        channel_name: 'privategroup',
      },
    })
    expect(came[0]?.payload['response_url']).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/response\//)
  })

  test('the message in a command’s ack is shown: to the asker, or to all', async () => {
    const slack = await localSlack({ echo: false })
    await app(slack, JSON.stringify({ response_type: 'in_channel', text: 'for all' }))
    await slack.slash('x')
    await app(slack, 'bare words')
    await slack.slash('x')
    expect(slack.messages(GENERAL).map((message) => message.text)).toEqual(['for all'])
    expect(slack.ephemerals(GENERAL, ALICE)).toEqual(['bare words'])
    expect(slack.ephemerals(GENERAL, BOB)).toEqual([])
  })

  test('a press carries the button, its message and its thread; a missing button cannot be pressed', async () => {
    const slack = await localSlack({ echo: false })
    const came = await app(slack)
    const { ts } = await slack.say({ text: 'root' })
    const section = { type: 'section', block_id: 'one', text: { type: 'mrkdwn', text: 'a' }, accessory: button }
    const posted = await call(slack, 'chat.postMessage', {
      channel: GENERAL,
      thread_ts: ts,
      text: 'a',
      blocks: [section],
    })
    await slack.press({ channel: GENERAL, ts: posted.ts, user: BOB }, { action_id: 'go' })
    expect(came[1]?.payload).toMatchObject({
      type: 'block_actions',
      user: { id: BOB },
      container: { message_ts: posted.ts, thread_ts: ts },
      actions: [{ action_id: 'go', block_id: 'one', value: 'v', type: 'button' }],
    })
    await expect(slack.press({ channel: GENERAL, ts: posted.ts }, { action_id: 'stop' })).rejects.toThrow(/no element/)
  })

  test('thumbs differ by their value, and buttons in a container can be pressed', async () => {
    const slack = await localSlack({ echo: false })
    const came = await app(slack)
    const side = (value: string) => ({ text: { type: 'plain_text', text: value }, value })
    const thumbs = {
      type: 'feedback_buttons',
      action_id: 'vote',
      positive_button: side('y'),
      negative_button: side('n'),
    }
    const blocks = [
      { type: 'container', title: button.text, child_blocks: [{ type: 'actions', elements: [button] }] },
      { type: 'context_actions', elements: [thumbs] },
    ]
    const { ts } = await call(slack, 'chat.postMessage', { channel: GENERAL, text: 'a', blocks })
    await slack.press({ channel: GENERAL, ts }, { action_id: 'go' })
    await slack.press({ channel: GENERAL, ts }, { action_id: 'vote', value: 'n' })
    await expect(slack.press({ channel: GENERAL, ts }, { action_id: 'vote' })).rejects.toThrow('No thumb')
    expect(came.map(({ payload }) => payload['actions'])).toMatchObject([
      [{ action_id: 'go', value: 'v' }],
      [{ action_id: 'vote', type: 'feedback_buttons', value: 'n', text: { text: 'n' } }],
    ])
  })

  test('a shortcut carries its message, and a trigger of its user', async () => {
    const slack = await localSlack({ echo: false })
    const came = await app(slack)
    const { ts } = await slack.say({ text: 'root' })
    const reply = await slack.say({ text: 'reply', thread_ts: ts })
    await slack.shortcut({ channel: GENERAL, ts: reply.ts, user: BOB }, 'ask_about')
    const [taken] = came.filter(({ type }) => type === 'message_action')
    const message = { text: 'reply', thread_ts: ts }
    expect(taken?.payload).toMatchObject({ callback_id: 'ask_about', message_ts: reply.ts, message, user: { id: BOB } })
    const view = { type: 'modal', title: button.text, blocks: [{ type: 'divider' }] }
    await call(slack, 'views.open', { trigger_id: taken?.payload['trigger_id'], view })
    expect([slack.modal(ALICE), slack.modal(BOB)?.['type']]).toEqual([undefined, 'modal'])
  })

  test('a press’s response URL can replace or delete the message', async () => {
    const slack = await localSlack({ echo: false })
    const came = await app(slack)
    const posted = await call(slack, 'chat.postMessage', {
      channel: GENERAL,
      text: 'a',
      blocks: [{ type: 'actions', elements: [button] }],
    })
    const respond = (body: object) =>
      fetch(String(came.at(-1)?.payload['response_url']), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await slack.press({ channel: GENERAL, ts: posted.ts }, { action_id: 'go' })
    await respond({ replace_original: true, text: 'gone on' })
    expect(slack.messages(GENERAL)).toMatchObject([{ text: 'gone on', blocks: undefined }])
    await respond({ delete_original: true })
    expect(slack.messages(GENERAL)).toEqual([])
  })

  test('a deleted root of the bot leaves a tombstone, with an event to the bot', async () => {
    const slack = await localSlack()
    const came = await app(slack)
    const { ts } = await call(slack, 'chat.postMessage', { channel: GENERAL, text: 'root' })
    await slack.say({ text: 'reply', thread_ts: ts })
    await call(slack, 'chat.delete', { channel: GENERAL, ts })
    await slack.until(() => came.length === 3, 'the change')
    const told = { message: { subtype: 'tombstone', ts }, previous_message: { text: 'root' } }
    expect(came[2]).toMatchObject({ type: 'message_changed', payload: told })
  })

  test('pressing Stop ends the streams of a thread and lists them', async () => {
    const slack = await localSlack({ echo: false })
    const came = await app(slack)
    const channel = `D${ALICE.slice(1)}`
    const { ts } = await slack.say({ channel, text: 'hello' })
    const stream = await call(slack, 'chat.startStream', { channel, thread_ts: ts, markdown_text: 'one' })
    await slack.people.stopSession({ channel, thread: ts })
    expect(came.at(-1)).toMatchObject({
      type: 'agent_session_stopped',
      payload: { channel, thread_ts: ts, user: ALICE, streaming_message_ts: [stream.ts] },
    })
  })

  test('opening the app’s messages opens the direct channel', async () => {
    const slack = await localSlack()
    const came = await app(slack)
    await slack.people.openHome(BOB, 'messages')
    expect(came[0]?.payload).toMatchObject({ tab: 'messages', user: BOB, channel: `D${BOB.slice(1)}` })
    expect((await slack.say({ channel: `D${BOB.slice(1)}`, user: BOB, text: 'hi' })).deliveries).toHaveLength(1)
  })

  test('an edit is an edit, and a mention only when it is new', async () => {
    const slack = await localSlack()
    const came = await app(slack)
    const { ts, channel } = await slack.mention('one')
    came.length = 0
    await slack.people.edit({ channel, ts }, `<@${BOT_USER}> two`)
    expect(came.map(({ type }) => type)).toEqual(['message_changed'])
    expect(came[0]?.payload).toMatchObject({
      hidden: true,
      message: { ts, edited: { user: ALICE } },
      previous_message: { ts },
    })
  })

  test('a channel that does not exist is the test’s own mistake', async () => {
    const slack = await localSlack()
    await expect(slack.say({ channel: 'C0NOWHERE01', text: 'hi' })).rejects.toThrow(/addChannel/)
  })
})

describe('watchers get changes', () => {
  /** Collects changes until one contains the words. */
  async function eventWith(url: string, words: string, happen: () => Promise<unknown>): Promise<string> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/events`)
    onTestFinished(() => socket.terminate())
    let text = ''
    const isTold = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        text += String(data)
        if (text.includes(words)) resolve()
      })
    })
    await once(socket, 'open')
    await happen()
    await isTold
    return text
  }

  async function page(slack: LocalSlack) {
    const served = await startPage(slack, { port: 0, notes: { model: 'none', isDemo: false, notes: [], examples: [] } })
    onTestFinished(served.close)
    return served.url
  }

  test('reports a message at once, but no ephemeral message of somebody else', async () => {
    const slack = await localSlack({ ackMs: 10, retryMs: [] })
    const told = await eventWith(await page(slack), 'for everybody', async () => {
      slack.store.sendEphemeral(slack.store.channel(RANDOM), { user: BOB, text: 'for Bob alone' })
      await slack.say({ channel: RANDOM, text: 'for everybody' })
    })
    expect(told).not.toContain('for Bob alone')
  })

  test('channels that one is not in are not shown', async () => {
    const slack = await localSlack({ ackMs: 10, retryMs: [] })
    slack.addChannel('C0OTHERS001', { name: 'others', members: new Set([BOB, BOT_USER]) })
    const url = await page(slack)
    const told = await eventWith(url, 'in the open', async () => {
      await slack.say({ channel: 'C0OTHERS001', user: BOB, text: 'behind the door' })
      await slack.say({ channel: RANDOM, text: 'in the open' })
    })
    expect(told + (await (await fetch(`${url}/state`)).text())).not.toMatch(/behind the door|C0OTHERS001/)
  })

  test('a watcher that has left gets nothing', async () => {
    const slack = await localSlack({ ackMs: 10, retryMs: [] })
    const heard: string[] = []
    const leave = slack.store.watch((change) => heard.push(change.type))
    slack.store.setStatus(slack.store.channel(RANDOM), '1.000001', 'is here')
    leave()
    slack.store.setStatus(slack.store.channel(RANDOM), '1.000001', '')
    expect(heard).toEqual(['status'])
  })

  test('waiting ends with a message, and settling waits for work in progress', async () => {
    const slack = await localSlack({ ackMs: 200, retryMs: [] })
    await expect(slack.until(() => false, 'a miracle', 40)).rejects.toThrow('Waited 40 ms for a miracle.')
    const said = slack.say({ text: 'nobody listens' })
    await slack.settle(30)
    expect((await said).deliveries[0]?.attempts).toHaveLength(1)
  })

  test('every ts is later than the previous one, whatever the clock does', async () => {
    let clock = 1_790_000_000_000
    const slack = await localSlack({ now: () => clock })
    const stamps = [slack.store.ts(), slack.store.ts()]
    clock -= 5000
    stamps.push(slack.store.ts())
    expect([...stamps].sort()).toEqual(stamps)
    expect(new Set(stamps).size).toBe(3)
    expect(stamps[0]).toMatch(/^\d{10}\.\d{6}$/)
  })
})
