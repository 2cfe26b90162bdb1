import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { startPage } from '../../playground/page-server/page-server.ts'
import { startWiki } from '../../playground/wiki/wiki.ts'
import { localSlack } from '../harness/local-slack.ts'

/** Returns the first line of the answer to an upgrade, or nothing if the connection is cut. */
function upgrade(port: number, path: string, headers: Record<string, string> = {}): Promise<string> {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`))
    const end = () => resolve(text.split('\r\n')[0] ?? '')
    socket.on('data', (data) => {
      text += String(data)
      if (text.includes('\r\n\r\n')) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', end)
  })
}

const ODD = [
  '//[',
  '//',
  '/%',
  '/link/?ticket=%',
  '/link/?ticket=',
  '/link',
  '//evil.example/link/?ticket=x',
  'http://[',
  '*',
]

test.each(['the local Slack', 'the page', 'the wiki'])('%s survives any upgrade', async (which) => {
  const slack = await localSlack()
  const page = await startPage(slack, { port: 0, notes: { model: 'x', isDemo: true, notes: [], examples: [] } })
  onTestFinished(() => page.close())
  const wiki = await startWiki()
  onTestFinished(() => wiki.close())
  const address = { 'the local Slack': slack.apiUrl, 'the page': page.url, 'the wiki': wiki.url }[which] ?? ''
  const port = Number(new URL(address).port)
  for (const path of ODD) expect([path, await upgrade(port, path)]).toEqual([path, expect.not.stringContaining(' 101')])
  // Sends half a request.
  for (let i = 0; i < 20; i++) {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET //[ HTTP/1.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n')
      socket.resetAndDestroy()
    })
    socket.on('error', () => {})
  }
  expect(await upgrade(port, '/nowhere')).toMatch(/^(HTTP\/1\.1 4\d\d|$)/)
})

test('another page cannot open a socket, and the ticket stays valid', async () => {
  const slack = await localSlack()
  const response = await fetch(`${slack.apiUrl}apps.connections.open`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slack.appToken}` },
  })
  const { url } = (await response.json()) as { url: string }
  const { port, pathname, search } = new URL(url)
  const path = pathname + search
  expect(await upgrade(Number(port), path, { origin: 'https://evil.example' })).toMatch(/ 403 /)
  expect(await upgrade(Number(port), path, { origin: 'null' })).toMatch(/ 403 /)
  expect(await upgrade(Number(port), path, { host: 'evil.example' })).toMatch(/ 403 /)
  expect(slack.sockets.count()).toBe(0)
  const socket = new WebSocket(url, { origin: `http://127.0.0.1:${port}` })
  onTestFinished(() => socket.terminate())
  await slack.until(() => slack.sockets.count() === 1, 'the socket')
  expect(await upgrade(Number(port), path)).toMatch(/ 401 /)
})

test('the page does not answer other pages', async () => {
  const slack = await localSlack()
  const page = await startPage(slack, { port: 0, notes: { model: 'x', isDemo: true, notes: [], examples: [] } })
  onTestFinished(() => page.close())
  for (const path of ['/', '/state']) {
    const answer = await fetch(page.url + path, { headers: { origin: 'https://evil.example' } })
    expect([path, answer.status]).toEqual([path, 403])
  }
  const port = Number(new URL(page.url).port)
  for (const origin of ['https://evil.example', 'null', `http://localhost:${port + 1}`])
    expect(await upgrade(port, '/events', { origin })).toMatch(/ 403 /)
  expect(await upgrade(port, '/events', { host: 'evil.example' })).toMatch(/ 403 /)
  expect(await upgrade(port, '/elsewhere')).toMatch(/ 404 /)
})

test('the local Slack and the wiki answer only requests that name this machine, over HTTP and sockets', async (t) => {
  const slack = await localSlack()
  const wiki = await startWiki()
  t.onTestFinished(() => wiki.close())
  const method = { method: 'POST', headers: { authorization: `Bearer ${slack.botToken}` } }
  for (const { url, ...options } of [
    { url: `${slack.apiUrl}auth.test`, ...method },
    { url: `${wiki.url}?action=query&format=json&titles=Berlin` },
  ]) {
    const { port } = new URL(url)
    const status = (host: string) => statusFor(url, { ...options, host })
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `127.0.0.1.nip.io:${port}`,
    ])
      expect([host, await status(host)]).toEqual([host, 403])
    for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      expect([host, await status(host)]).toEqual([host, 200])
  }
  const { status } = await fetch(`${slack.apiUrl}auth.test`, {
    ...method,
    headers: { ...method.headers, origin: 'https://evil.example' },
  })
  expect(status).toBe(403)
  expect(slack.calls.filter((call) => call.method === 'auth.test')).toHaveLength(4)
  expect(wiki.requests).toHaveLength(4)
})

/** Returns the status for a request with this Host, which `fetch` cannot send. */
function statusFor(
  url: string,
  { host, method = 'GET', headers = {} }: { host: string; method?: string; headers?: Record<string, string> },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: { ...headers, host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on('error', reject).end()
  })
}
