import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createNetwork } from '../../../src/base/http/proxy.ts'
import { TransportResponse } from '../../../src/base/http/transport-response.ts'
import type { Ends } from '../../harness/ends.ts'
import { eventually } from '../../harness/stores.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server. Returns our fetch to it, and its sockets. */
async function served(t: Ends, handler: Handler) {
  const { fetch } = await createNetwork({})
  if (!fetch) throw new Error('there is no fetch')
  const sockets: Socket[] = []
  const requests: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    const asked = { method, path, headers, body: '' }
    requests.push(asked)
    request.setEncoding('utf8').on('data', (text: string) => (asked.body += text))
    request.on('end', () => handler(request, response))
  })
  server.on('connection', (socket: Socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.onTestFinished(() => (server.closeAllConnections(), void server.close()))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const call = (path = '/', init?: RequestInit) => fetch(`${url}${path}`, init)
  return { url, sockets, requests, fetch, call }
}

const CALLS = 40

/** Answers when there are `CALLS` requests, all at once. */
function together(reply = (response: ServerResponse): unknown => response.end('ok')): Handler {
  let held: ServerResponse[] = []
  return (_, response) => {
    if (held.push(response) < CALLS) return
    for (const one of held) reply(one)
    held = []
  }
}

const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error)
const answer = (body = 'ok') => ((_, response) => response.end(body)) satisfies Handler

/** A connection rests for one turn of the event loop, so consecutive calls alternate between two connections. */
const IN_TURN = 2

describe.concurrent('a connection', () => {
  test('is reused by consecutive calls', async (t) => {
    const { call, sockets } = await served(t, answer())
    for (let i = 0; i < 10; i++) expect(await (await call()).text()).toBe('ok')
    expect(sockets.length).toBeLessThanOrEqual(IN_TURN)
  })

  test('serves one call at a time: parallel calls have one each', async (t) => {
    const held: ServerResponse[] = []
    const { call, sockets } = await served(t, (_, response) => {
      held.push(response)
      if (held.length === 3) for (const one of held) one.end('ok')
    })
    const texts = await Promise.all([1, 2, 3].map(async () => (await call()).text()))
    expect([texts, sockets.length]).toEqual([['ok', 'ok', 'ok'], 3])
  })

  test('is reused after a response, even if many responses arrive together', async (t) => {
    const { call, sockets } = await served(t, together())
    const lane = async () => {
      for (let i = 0; i < 4; i++) await (await call()).text()
    }
    await Promise.all(Array.from({ length: CALLS }, lane))
    // If all were read in one turn of the event loop, no answer would free its connection in time, and each lane would
    // need two. On a busy machine some lanes do.
    expect(sockets.length).toBeLessThan(1.9 * CALLS)
  })

  test('is reused after responses without a body and after errors', async (t) => {
    const { call, sockets } = await served(t, ({ url = '', method }, response) => {
      const status = Number(url.slice(1))
      response.writeHead(status).end(status === 204 || status === 304 || method === 'HEAD' ? '' : `this is ${status}`)
    })
    for (const [status, init, body] of [
      [204, {}, ''],
      [304, {}, ''],
      [404, {}, 'this is 404'],
      [500, { method: 'POST', body: 'x' }, 'this is 500'],
      [200, {}, 'this is 200'],
      [200, { method: 'HEAD' }, ''],
    ] as const) {
      const response = await call(`/${status}`, init)
      const isBodiless = body === ''
      expect([response.status, response.ok, response.body === null]).toEqual([status, status < 300, isBodiless])
      expect(await response.text()).toBe(body)
    }
    expect(sockets.length).toBeLessThanOrEqual(IN_TURN)
  })

  test('that is refused is a TypeError whose cause says so', async () => {
    const { fetch } = await createNetwork({})
    const error = await failure(fetch!('http://127.0.0.1:9/'))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })

  test('that is cut is an error, before the response and within it', async (t) => {
    const { call } = await served(t, ({ url }, response) => {
      if (url === '/before') return response.destroy()
      response.writeHead(200, { 'content-length': '100' }).write('the beginning')
      setTimeout(() => response.destroy(), 20)
    })
    expect(await failure(call('/before'))).toMatchObject({ name: 'TypeError', cause: { code: 'UND_ERR_SOCKET' } })
    const response = await call('/within')
    expect(await failure(response.text())).toMatchObject({ name: 'TypeError', cause: { code: 'UND_ERR_SOCKET' } })
  })

  test('that is cut after the response’s headers still returns them, among many at once', async (t) => {
    const begun = 'HTTP/1.1 503 Busy\r\ncontent-length: 100\r\n\r\nthe beginning'
    const cutAll = together(({ socket }) => socket?.end(begun))
    const { call } = await served(t, cutAll)
    const cut = async () => {
      const response = await call()
      return [response.status, await failure(response.text())]
    }
    for (const told of await Promise.all(Array.from({ length: CALLS }, cut)))
      expect(told).toMatchObject([503, { name: 'TypeError', message: 'terminated' }])
  })
})

describe.concurrent('an abort', () => {
  const reason = new Error('Stopped.')

  test('before the call prevents it', async (t) => {
    const { call, requests } = await served(t, answer())
    expect(await failure(call('/', { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(requests).toEqual([])
  })

  test('while waiting for the response ends the call with its reason and closes the connection', async (t) => {
    const { call, requests, sockets } = await served(t, () => {})
    const stop = new AbortController()
    const called = failure(call('/', { signal: stop.signal }))
    await eventually(() => expect(requests).toHaveLength(1))
    stop.abort(reason)
    expect(await called).toBe(reason)
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true))
  })

  test('within a body ends the reading with its reason and closes the connection', async (t) => {
    const { call, sockets } = await served(t, (_, response) => void response.write('the beginning'))
    const stop = new AbortController()
    const response = await call('/', { signal: stop.signal })
    const read = failure(response.text())
    stop.abort(reason)
    expect(await read).toBe(reason)
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true))
  })

  test('by a timeout is reported as a timeout', async (t) => {
    const { call } = await served(t, () => {})
    expect(await failure(call('/', { signal: AbortSignal.timeout(30) }))).toMatchObject({ name: 'TimeoutError' })
  })

  test('by the first of many simultaneous responses aborts the calls that are not yet settled', async (t) => {
    const { call } = await served(t, together())
    const stop = new AbortController()
    const first = async () => void (await call('/', { signal: stop.signal }), stop.abort(reason))
    const failures = await Promise.all(Array.from({ length: CALLS }, () => failure(first())))
    expect(failures.filter((error) => error !== undefined && error !== reason)).toEqual([])
    expect(failures.filter((error) => error === reason).length).toBeGreaterThan(CALLS / 2)
  })

  test('after the end has no effect', async (t) => {
    const { call, sockets } = await served(t, answer())
    const stop = new AbortController()
    const response = await call('/', { signal: stop.signal })
    expect(await response.text()).toBe('ok')
    stop.abort(reason)
    expect(await (await call()).text()).toBe('ok')
    expect(sockets.some((socket) => socket.destroyed)).toBe(false)
  })
})

describe.concurrent('a body', () => {
  test('is read as it arrives', async (t) => {
    const sent: ServerResponse[] = []
    const { call } = await served(t, (_, response) => {
      sent.push(response)
      response.write('one')
    })
    const read: string[] = []
    for await (const bytes of (await call()).body ?? []) {
      read.push(Buffer.from(bytes).toString())
      if (read.length === 1) sent[0]?.write('two')
      if (read.length === 2) sent[0]?.end()
    }
    expect(read).toEqual(['one', 'two'])
  })

  test('that is buffered is read in fewer chunks, without waiting for its end', async (t) => {
    const sent: ServerResponse[] = []
    const { call } = await served(t, (_, response) => {
      sent.push(response)
      response.write('zero')
    })
    const response = await call()
    const read: string[] = []
    if (!(response instanceof TransportResponse)) throw new Error('it is none of ours')
    for await (const bytes of response.gathered(600_000) ?? []) {
      read.push(Buffer.from(bytes).toString())
      if (read.length > 1) continue
      sent[0]?.write('one')
      setTimeout(() => sent[0]?.end('two'), 50)
    }
    expect(read).toEqual(['zero', 'onetwo'])
  })

  test('is read whole as text across any chunk border, as JSON or as bytes, and only once', async (t) => {
    const { call } = await served(t, (_, response) => {
      const bytes = Buffer.from('{"a":"é😀"}')
      for (const byte of bytes) response.write(Buffer.of(byte))
      response.end()
    })
    expect(await (await call()).json()).toEqual({ a: 'é😀' })
    expect(Buffer.from(await (await call()).arrayBuffer()).toString()).toBe('{"a":"é😀"}')
    const response = await call()
    expect([response.bodyUsed, await response.text(), response.bodyUsed]).toEqual([false, '{"a":"é😀"}', true])
    await expect(response.text()).rejects.toThrow('read already')
  })

  test('that is abandoned closes its connection', async (t) => {
    const { call, sockets } = await served(t, (_, response) => void response.write('the beginning'))
    for await (const bytes of (await call()).body ?? []) {
      expect(bytes.length).toBeGreaterThan(0)
      break
    }
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true))
  })

  test('that nobody reads causes back-pressure, and is complete later', async (t) => {
    const size = 48 * 2 ** 20
    let isSent = false
    const { call } = await served(t, (_, response) => response.end(Buffer.alloc(size, 'x'), () => (isSent = true)))
    const response = await call()
    await wait(200)
    expect(isSent).toBe(false)
    expect((await response.arrayBuffer()).byteLength).toBe(size)
  })
})

describe.concurrent('a request', () => {
  test('sends its method, headers in any form, and text or bytes', async (t) => {
    const { call, requests } = await served(t, answer())
    for (const headers of [{ 'X-Key': 'k' }, new Headers({ 'x-key': 'k' }), [['x-key', 'k']] as [string, string][]])
      await (await call('/a?b=c', { method: 'post', headers, body: 'é' })).text()
    await (await call('/a?b=c', { method: 'POST', headers: { 'x-key': 'k' }, body: Buffer.from('é') })).text()
    expect(requests).toHaveLength(4)
    for (const { method, path, headers, body } of requests) {
      expect([method, path, headers['x-key'], body]).toEqual(['POST', '/a?b=c', 'k', 'é'])
      expect(headers['content-length']).toBe('2')
    }
  })

  test('with any other body is refused', async (t) => {
    const { call, requests } = await served(t, answer())
    await expect(call('/', { method: 'POST', body: new FormData() })).rejects.toThrow('Only text and bytes')
    expect(requests).toEqual([])
  })

  test('returns response headers by name in any case, repeated ones joined', async (t) => {
    const { call } = await served(t, (_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.writeHead(200, 'Fine', { 'X-One': '1', 'x-two': ['a', 'b'] }).end()
    })
    const { headers, statusText, url } = await call('/here')
    expect([headers.get('X-ONE'), headers.get('x-two'), headers.get('x-three')]).toEqual(['1', 'a, b', null])
    expect([headers.has('x-two'), headers.has('x-three'), headers.has('link')]).toEqual([true, false, false])
    expect(Object.fromEntries(headers.entries())).toMatchObject({ 'x-one': '1', 'x-two': 'a, b' })
    expect([statusText, url.endsWith('/here')]).toEqual(['Fine', true])
  })
})
