import { createHmac } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { listen, readBody } from '../../playground/base/loopback-server.ts'
import { BOT_USER, GENERAL, startLocalSlack, type LocalSlack } from '../../playground/slack/slack.ts'

const ends: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function local(options: Parameters<typeof startLocalSlack>[0] = {}) {
  const slack = await startLocalSlack({ ackMs: 30_000, retryMs: [0, 30, 30], ...options })
  ends.push(() => slack.close())
  return slack
}

interface Request {
  headers: Record<string, string>
  body: string
}

/** Starts an app that answers with these statuses; the last one is repeated. 0 never answers. */
async function httpApp(slack: LocalSlack, statuses: number[]): Promise<Request[]> {
  const seen: Request[] = []
  const server = await listen((request, response) => {
    void readBody(request).then((body) => {
      seen.push({ headers: request.headers as Record<string, string>, body })
      const status = statuses.length > 1 ? (statuses.shift() ?? 0) : (statuses[0] ?? 0)
      if (status > 0) response.writeHead(status).end()
    })
  })
  ends.push(server.close)
  slack.setTarget(`${server.base}/slack/events`)
  return seen
}

async function socketUrl(slack: LocalSlack): Promise<string> {
  const opened = await fetch(`${slack.apiUrl}apps.connections.open`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slack.appToken}` },
  })
  return ((await opened.json()) as { url: string }).url
}

/** Opens a socket, closes it by a close frame, and keeps the connection open, so that Slack's end is closing. */
async function leavingApp(slack: LocalSlack): Promise<Socket> {
  const { hostname, port, pathname, search } = new URL(await socketUrl(slack))
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`
  socket.write([`GET ${pathname}${search} HTTP/1.1`, `Host: ${hostname}:${port}`, ...upgrade, key, '', ''].join('\r\n'))
  let came = Buffer.alloc(0)
  socket.on('data', (bytes) => (came = Buffer.concat([came, bytes])))
  await slack.until(() => came.includes('"hello"'), 'the greeting')
  const from = came.length
  // An empty close frame, masked with zeros.
  socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]))
  await slack.until(() => came.subarray(from).includes(0x88), 'the answer to the goodbye')
  return socket
}

/** Opens a socket of an app that acks as `acks` returns. */
async function socketApp(slack: LocalSlack, acks: (envelope: Record<string, unknown>) => boolean = () => true) {
  const url = await socketUrl(slack)
  const socket = new WebSocket(url)
  const seen: Record<string, unknown>[] = []
  socket.on('message', (data) => {
    const envelope = JSON.parse(String(data)) as Record<string, unknown>
    seen.push(envelope)
    if (envelope['envelope_id'] && acks(envelope)) socket.send(JSON.stringify({ envelope_id: envelope['envelope_id'] }))
  })
  await new Promise((resolve) => socket.once('message', resolve))
  ends.push(() => socket.terminate())
  return { socket, seen, url, events: () => seen.filter((one) => one['type'] === 'events_api') }
}

test('a request is signed over version, time and body', async () => {
  const slack = await local()
  const seen = await httpApp(slack, [200])
  await slack.say({ text: 'hello' })
  const { headers, body } = seen[0] as Request
  const base = `v0:${headers['x-slack-request-timestamp']}:${body}`
  expect(headers['x-slack-signature']).toBe(
    `v0=${createHmac('sha256', slack.signingSecret).update(base).digest('hex')}`,
  )
  expect(Math.abs(Date.now() / 1000 - Number(headers['x-slack-request-timestamp']))).toBeLessThan(60)
})

test('a failed delivery is retried with a number and a reason until it is acked', async () => {
  const slack = await local({ ackMs: 5_000 })
  const seen = await httpApp(slack, [500, 0, 200])
  const { deliveries } = await slack.say({ text: 'hello' })
  expect(await deliveries[0]?.done).toBe(true)
  expect(seen.map(({ headers }) => headers['x-slack-retry-num'])).toEqual([undefined, '1', '2'])
  expect(seen.map(({ headers }) => headers['x-slack-retry-reason'])).toEqual([undefined, 'http_error', 'http_timeout'])
  expect(new Set(seen.map(({ body }) => body)).size).toBe(1)
})

test('a delivery is dropped after three retries', async () => {
  const slack = await local()
  const seen = await httpApp(slack, [503])
  const { deliveries } = await slack.say({ text: 'hello' })
  expect(await deliveries[0]?.done).toBe(false)
  expect(seen).toHaveLength(4)
})

test('a command is not retried: the person gets a message', async () => {
  const slack = await local()
  const seen = await httpApp(slack, [500])
  const done = await slack.slash('why?')
  expect(done).toMatchObject({ ok: false, status: 500 })
  expect(await done.delivery.done).toBe(false)
  expect(seen).toHaveLength(1)
  expect(slack.ephemerals(GENERAL, 'U0ALICE0001')).toEqual(['/ask failed with the error "operation_timeout"'])
})

test('an event goes to one socket, and sockets take turns', async () => {
  const slack = await local()
  const one = await socketApp(slack)
  const two = await socketApp(slack)
  for (const text of ['a', 'b', 'c', 'd']) await slack.say({ text })
  expect([one.events().length, two.events().length]).toEqual([2, 2])
})

test('an envelope without an ack is sent again, marked as a retry, to any socket', async () => {
  const slack = await local({ ackMs: 400 })
  const deaf = await socketApp(slack, () => false)
  const { deliveries } = await slack.say({ text: 'hello' })
  expect(await deliveries[0]?.done).toBe(false)
  await slack.until(() => deaf.events().length === 4, 'all tries')
  expect(deaf.events().map((one) => one['retry_attempt'])).toEqual([undefined, 1, 2, 3])
  expect(deaf.events()[1]).toMatchObject({ retry_reason: 'http_timeout', payload: { event: { text: 'hello' } } })
})

test('an envelope without an ack goes to the next socket when its socket closes, in the same try', async () => {
  const slack = await local({ ackMs: 60_000 })
  const deaf = await socketApp(slack, () => false)
  const said = slack.say({ text: 'hello' })
  await slack.until(() => deaf.events().length === 1, 'the envelope')
  slack.sockets.cut()
  const next = await socketApp(slack)
  expect((await said).deliveries[0]?.attempts).toMatchObject([{ status: 200, retry: 0 }])
  expect(next.events()).toHaveLength(1)
})

test('many envelopes at once on one socket cause no listener warning', async (t) => {
  const slack = await local()
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on('warning', note)
  t.onTestFinished(() => void process.off('warning', note))
  const busy = await socketApp(slack, () => false)
  const all = Array.from({ length: 20 }, (_, i) => slack.say({ text: `hello ${i}` }))
  await slack.until(() => busy.events().length === 20, 'the envelopes')
  await socketApp(slack)
  busy.socket.terminate()
  for (const said of all) expect((await said).deliveries[0]?.attempts).toMatchObject([{ status: 200, retry: 0 }])
  expect(warnings.filter((line) => line.includes('WebSocket'))).toEqual([])
})

test('an event during the close of the only socket waits for the next socket', async (t) => {
  const slack = await local()
  const leaver = await leavingApp(slack)
  t.onTestFinished(() => void leaver.destroy())
  const said = slack.say({ text: 'hello' })
  const next = await socketApp(slack)
  expect((await said).deliveries[0]?.attempts).toMatchObject([{ status: 200, retry: 0 }])
  expect(next.events()).toHaveLength(1)
})

test('an event without an open socket goes to the first one that opens', async () => {
  const slack = await local({ ackMs: 10_000 })
  const said = slack.say({ text: 'early' })
  const late = await socketApp(slack)
  expect((await said).deliveries[0]?.attempts[0]?.status).toBe(200)
  expect(late.events()).toHaveLength(1)
})

test('a socket says hello and is asked to reconnect; its address works once', async () => {
  const slack = await local()
  const { socket, seen, url } = await socketApp(slack)
  expect(seen[0]).toMatchObject({ type: 'hello', num_connections: 1 })
  slack.sockets.refresh()
  await slack.until(() => seen.some((one) => one['type'] === 'disconnect'), 'the disconnect message')
  const again = new WebSocket(url)
  await expect(new Promise((_, reject) => again.once('error', reject))).rejects.toThrow(/401/)
  slack.sockets.cut()
  await slack.until(() => socket.readyState === WebSocket.CLOSED, 'the cut')
})

test('an eleventh socket is refused', async () => {
  const slack = await local()
  for (let i = 0; i < 10; i++) await socketApp(slack)
  const extra = await socketApp(slack)
  expect(extra.seen[0]).toMatchObject({ type: 'disconnect', reason: 'too_many_websockets' })
  expect(slack.sockets.count()).toBe(10)
})

test('only subscribed events are delivered', async () => {
  const slack = await local({ events: ['app_mention'] })
  const seen = await httpApp(slack, [200])
  await slack.say({ text: 'hello' })
  await slack.mention('hello')
  expect(seen.map(({ body }) => (JSON.parse(body) as { event: { type: string } }).event.type)).toEqual(['app_mention'])
})

test('the app gets events when people edit, delete, react, join and open the Home', async () => {
  const slack = await local()
  const seen = await httpApp(slack, [200])
  const { ts, channel } = await slack.say({ text: 'hello' })
  await slack.people.edit({ channel, ts }, `<@${BOT_USER}> hello`)
  await slack.people.react({ channel, ts, name: 'eyes' })
  await slack.people.react({ channel, ts, name: 'eyes', removed: true })
  await slack.people.remove({ channel, ts })
  await slack.people.join({ channel, user: 'U0BOB000001' })
  await slack.people.openHome()
  const events = seen.map(({ body }) => (JSON.parse(body) as { event: Record<string, string> }).event)
  expect(events.map((event) => event['subtype'] ?? event['type'])).toEqual([
    'message',
    'app_mention',
    'message_changed',
    'reaction_added',
    'reaction_removed',
    'message_deleted',
    'channel_join',
    'app_home_opened',
  ])
  expect(slack.messages(GENERAL).map((message) => message.subtype)).toEqual(['channel_join'])
})

test('a direct message is a message.im and no app_mention', async () => {
  const slack = await local()
  const seen = await httpApp(slack, [200])
  await slack.say({ channel: 'D0ALICE0001', text: `<@${BOT_USER}> hello` })
  const events = seen.map(({ body }) => (JSON.parse(body) as { event: Record<string, string> }).event)
  expect(events).toMatchObject([{ type: 'message', channel_type: 'im' }])
})

test('the envelope marks a shared channel, and a channel without the bot sends no events', async () => {
  const slack = await local()
  const seen = await httpApp(slack, [200])
  slack.addChannel('C0SHARED001', { shared: true })
  slack.addChannel('C0NOBOT0001', { members: new Set(['U0ALICE0001']) })
  await slack.mention('hello', { channel: 'C0SHARED001' })
  await slack.mention('hello', { channel: 'C0NOBOT0001' })
  const envelopes = seen.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
  expect(envelopes.map((one) => one['is_ext_shared_channel'])).toEqual([true, true])
})
