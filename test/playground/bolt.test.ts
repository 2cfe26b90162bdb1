import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from '@slack/bolt'
import { afterEach, describe, expect, test } from 'vitest'
import { ALICE, BOT_USER, GENERAL, startLocalSlack, type LocalSlack } from '../../playground/slack/slack.ts'

const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Starts a real Bolt app that records deliveries, over HTTP or Socket Mode. */
async function boltApp(slack: LocalSlack, mode: 'http' | 'socket', secret = slack.signingSecret) {
  const logLevel = LogLevel.ERROR
  const clientOptions = { slackApiUrl: slack.apiUrl }
  const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel: () => logLevel, setName() {} }
  const receiver =
    mode === 'http'
      ? new HTTPReceiver({ signingSecret: secret, logger: quiet, port: 0 })
      : new SocketModeReceiver({ appToken: slack.appToken, logger: quiet, installerOptions: { clientOptions } })
  const app = new App({ token: slack.botToken, receiver, clientOptions, logger: quiet, ignoreSelf: false })
  const seen: { type: string; body: Record<string, unknown>; retry?: number | undefined }[] = []
  app.use(async ({ body, context, next }) => {
    const event = (body as { event?: { type: string } }).event
    seen.push({
      type: event?.type ?? String((body as { type?: string }).type ?? 'command'),
      body: { ...body },
      retry: context.retryNum,
    })
    await next()
  })
  const server = (await app.start(0)) as { address?: () => { port: number } }
  ends.push(() => app.stop())
  if (mode === 'http') slack.setTarget(`http://127.0.0.1:${server.address?.().port}/slack/events`)
  return { app, seen }
}

async function local(options: Parameters<typeof startLocalSlack>[0] = {}) {
  const slack = await startLocalSlack({ ackMs: 30_000, ...options })
  ends.push(() => slack.close())
  return slack
}

describe.each(['http', 'socket'] as const)('a real Bolt app over %s', (mode) => {
  test('gets a mention as app_mention and as message, with one ts and two event ids', async () => {
    const slack = await local()
    const { app, seen } = await boltApp(slack, mode)
    app.event('app_mention', async ({ event, client }) => {
      await client.chat.postMessage({ channel: event.channel, thread_ts: event.ts, text: 'Hello' })
    })
    const said = await slack.mention('hi')
    await slack.until(() => slack.replies(GENERAL, said.thread).length > 0, 'the reply')
    const of = () => seen.filter(({ body }) => (body['event'] as { ts: string }).ts === said.ts)
    await slack.until(() => of().length === 2, 'both')
    await slack.settle()
    const both = of()
    expect(both.map(({ type }) => type).sort()).toEqual(['app_mention', 'message'])
    expect(new Set(both.map(({ body }) => body['event_id'])).size).toBe(2)
    expect(both.find(({ type }) => type === 'message')?.body['event']).toMatchObject({
      channel_type: 'channel',
      user: ALICE,
    })
    expect(slack.refusals).toEqual([])
  })

  test('gets events of its own messages, with its bot_id', async () => {
    const slack = await local()
    const { app, seen } = await boltApp(slack, mode)
    const posted = await app.client.chat.postMessage({ channel: GENERAL, text: 'one' })
    await slack.until(() => seen.length === 1, 'the message')
    await app.client.chat.update({ channel: GENERAL, ts: String(posted.ts), text: 'two' })
    await slack.until(() => seen.length === 2, 'the change')
    await slack.settle()
    const events = seen.map(({ body }) => body['event'])
    expect(events).toMatchObject([
      { type: 'message', text: 'one', user: BOT_USER, bot_id: expect.any(String) },
      { subtype: 'message_changed', message: { text: 'two' }, previous_message: { text: 'one' } },
    ])
  })

  test('acks a command; only the asker sees the answer in the ack, and it cannot be replaced, as in Slack', async () => {
    const slack = await local()
    const { app } = await boltApp(slack, mode)
    app.command('/ask', async ({ ack, command, respond }) => {
      await ack(`You asked: ${command.text}`)
      await respond({ replace_original: true, text: 'And once more, later.' })
    })
    const done = await slack.slash('why?', { user: ALICE })
    expect(done.ok).toBe(true)
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).length === 2, 'both answers')
    expect(slack.ephemerals(GENERAL, ALICE).sort()).toEqual(['And once more, later.', 'You asked: why?'])
    expect(slack.messages(GENERAL)).toEqual([])
  })

  test('gets a button press, opens one modal with its trigger, and replaces the message', async () => {
    const slack = await local()
    const { app } = await boltApp(slack, mode)
    const errors: unknown[] = []
    app.action('stop', async ({ ack, body, client, respond }) => {
      await ack()
      const { trigger_id } = body as { trigger_id: string }
      const view = { type: 'modal' as const, title: { type: 'plain_text' as const, text: 'Sure?' }, blocks: [] }
      await client.views.open({ trigger_id, view })
      await client.views
        .open({ trigger_id, view })
        .catch((error: { data?: { error: string } }) => errors.push(error.data?.error))
      await respond({ replace_original: true, text: 'stopped' })
    })
    const button = {
      type: 'button' as const,
      action_id: 'stop',
      text: { type: 'plain_text' as const, text: 'Stop' },
      value: 'now',
    }
    const posted = await app.client.chat.postMessage({
      channel: GENERAL,
      text: 'x',
      blocks: [{ type: 'actions', elements: [button] }],
    })
    const done = await slack.press({ channel: GENERAL, ts: String(posted.ts) }, { action_id: 'stop' })
    expect(done.ok).toBe(true)
    await slack.until(() => slack.messages(GENERAL)[0]?.text === 'stopped', 'the replaced message')
    expect(slack.store.views).toMatchObject([{ type: 'modal' }])
    expect(errors).toEqual(['exchanged_trigger_id'])
  })

  test('a manual redelivery carries its number and reason', async () => {
    const slack = await local()
    const { seen } = await boltApp(slack, mode)
    const said = await slack.say({ text: 'hello' })
    const [delivery] = said.deliveries
    if (!delivery) throw new Error('no delivery')
    expect((await slack.redeliver(delivery)).status).toBe(200)
    expect(seen.map(({ retry }) => retry ?? 0)).toEqual([0, 1])
    expect(seen[0]?.body['event_id']).toBe(seen[1]?.body['event_id'])
  })
})

test('a request with another secret is rejected, which the attempt records', async () => {
  const slack = await local({ retryMs: [] })
  const { seen } = await boltApp(slack, 'http', 'another secret')
  const said = await slack.say({ text: 'hello' })
  expect(said.deliveries[0]?.attempts[0]?.status).toBe(401)
  expect(seen).toEqual([])
})
