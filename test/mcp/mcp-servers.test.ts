import { request as httpRequest, type ServerResponse } from 'node:http'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectProxy } from '../harness/connect-proxy.ts'
import { startEverything } from '../harness/mcp/everything-server.ts'
import { answerOf, askedSchema } from '../harness/mcp/hostile-answers.ts'
import { openMcp, said, toolNamesOf, use } from '../harness/mcp/mcp-servers.ts'
import { npmStdio, ourStdio } from '../harness/mcp/our-stdio.ts'
import { startNotesServer } from '../harness/mcp/notes-server.ts'
import { freePort } from '../harness/redis.ts'
import { startWebServer } from '../harness/web-server.ts'
import { until } from '../../playground/base/until.ts'

const t = { onTestFinished }
const soon = () => AbortSignal.timeout(60_000)

test('a stdio server of npm lists its tools and answers', async () => {
  const { servers } = openMcp(t, { everything: npmStdio('everything') })
  const server = servers.of('everything')
  expect(server.status()).toEqual({ state: 'idle' })
  const { tools } = await server.list(soon())
  const sum = tools.find(({ name }) => name === 'get-sum')
  expect(sum).toMatchObject({ inputSchema: { properties: { a: {}, b: {} } } })
  expect(await said(use(server, 'get-sum', { args: { a: 2, b: 40 } }))).toContain('42')
  expect(await said(use(server, 'get-structured-content', { args: { location: 'Chicago' } }))).toMatch(
    /^\{[^}]*"humidity"[^}]*\}$/,
  )
  expect(server.status()).toEqual({ state: 'up' })
})

test('npm’s servers for files and memory work', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'thinkaloud-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'a.txt'), 'what the file says')
  const memory = { ...npmStdio('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } }
  const { servers } = openMcp(t, { files: npmStdio('filesystem', folder), memory })
  // This server returns the same content twice: as text and as structured content.
  expect(await said(use(servers.of('files'), 'read_text_file', { args: { path: join(folder, 'a.txt') } }))).toBe(
    'what the file says',
  )
  const entities = [{ name: 'Anna', entityType: 'person', observations: ['likes tea'] }]
  await use(servers.of('memory'), 'create_entities', { args: { entities } })
  expect(await said(use(servers.of('memory'), 'search_nodes', { args: { query: 'tea' } }))).toContain('Anna')
  await expect(use(servers.of('files'), 'read_text_file', { args: { path: '/etc/passwd' } })).rejects.toThrow(/denied/)
})

test('a stdio server gets only its own variables and a PATH', async () => {
  const { servers } = openMcp(t, { notes: { ...ourStdio('notes-server.ts'), env: { OF_ITS_OWN: 'yes' } } })
  const env: unknown = JSON.parse(await said(use(servers.of('notes'), 'env')))
  expect(Object.keys(Object(env)).sort()).toEqual(['OF_ITS_OWN', 'PATH'])
})

test('a server of the older protocol is reached, whatever it answers to the newer one', async () => {
  const error = { code: -32000, message: 'no session' }
  const json = { 'content-type': 'application/json' }
  const probes: Record<string, (response: ServerResponse) => void> = {
    forbids: (response) => response.writeHead(403).end('no'),
    fault: (response) => response.writeHead(500).end('{}'),
    gateway: (response) => response.writeHead(502).end('<html>'),
    page: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    broken: (response) => response.writeHead(200, json).end('{'),
    breaks: (response) => response.destroy(),
    hang() {},
    empty: (response) => response.writeHead(202).end(),
    nobody: (response) => response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: null, error })),
  }
  const { url } = await startWebServer((path, response, request) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    request.on('data', (data) => (body += String(data)))
    request.on('end', () => {
      const asked = askedSchema.parse(JSON.parse(body))
      if (asked.method === 'server/discover') return probes[path.slice(1)]?.(response)
      if (asked.id === undefined) return void response.writeHead(202).end()
      const answer = answerOf(asked, { tools: ['fine'], endless: false })
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...Object(answer) }))
    })
  })
  const config = Object.fromEntries(Object.keys(probes).map((name) => [name, { url: `${url}/${name}` }]))
  const { servers } = openMcp(t, config, { probeMs: 200 })
  const reached = Object.keys(probes).map(async (name) => [name, await said(use(servers.of(name), 'fine'))])
  expect(await Promise.all(reached)).toEqual(Object.keys(probes).map((name) => [name, 'fine']))
})

test('HTTP+SSE, detected or configured', async () => {
  const url = await startEverything(t, 'sse')
  const { servers } = openMcp(t, { found: { url }, told: { type: 'sse', url } })
  for (const name of ['found', 'told'])
    expect(await said(use(servers.of(name), 'echo', { args: { message: `as ${name}` } }))).toContain(`as ${name}`)
})

test('the 2026-07-28 protocol over HTTP: a call is one request without a session', async () => {
  const at = await startNotesServer(t)
  const { servers, logged } = openMcp(t, { notes: { url: at.url } })
  const server = servers.of('notes')
  expect(await said(use(server, 'add_note', { args: { title: 'One', text: 'first', urgent: true } }))).toBe(
    'Kept “One”.\n\n{"kept":1}',
  )
  expect(at.notes).toEqual([{ title: 'One', text: 'first', urgent: true }])
  expect(at.methods.filter((method) => method !== 'subscriptions/listen')).toEqual(['server/discover', 'tools/call'])
  expect(at.headers.some((headers) => 'mcp-session-id' in headers)).toBe(false)
  expect(logged()).toContain('2026-07-28')
})

test('the 2026-07-28 protocol over stdio', async () => {
  const { servers, logged } = openMcp(t, { notes: ourStdio('notes-server.ts') })
  expect(await toolNamesOf(servers.of('notes'))).toContain('add_note')
  expect(await said(use(servers.of('notes'), 'search_notes', { args: { query: 'x' } }))).toBe('[]')
  expect(logged()).toContain('2026-07-28')
})

test('parallel calls share one connection, and each gets its own result', async () => {
  const { servers } = openMcp(t, { everything: npmStdio('everything') })
  const server = servers.of('everything')
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => said(use(server, 'echo', { args: { message: `n${n}.` } }))),
  )
  expect(answers.map((answer, n) => answer.includes(`n${n}.`))).toEqual(Array(30).fill(true))
})

test('links in a result become sources; a failed tool is an error with its reason', async () => {
  const { servers } = openMcp(t, { notes: { url: (await startNotesServer(t)).url } })
  const server = servers.of('notes')
  expect(await use(server, 'links')).toEqual({
    text: expect.stringContaining('[an image, image/png, 3 kB: not shown]'),
    sources: [
      { title: 'Note one', url: 'https://notes.example.com/1' },
      { title: 'notes.example.com', url: 'https://notes.example.com/2' },
    ],
  })
  await expect(use(server, 'broken')).rejects.toThrow('The shelf is full.')
  await expect(use(server, 'nothing')).rejects.toThrow(/^notes refused: .*nothing/)
  await expect(use(server, 'add_note', { args: { title: 7 } })).rejects.toThrow(/title/)
})

test('a list is cached for as long as the server says', async () => {
  const at = await startNotesServer(t, { ttlMs: 60_000 })
  let now = 1_000_000
  const { servers } = openMcp(t, { notes: { url: at.url } }, { now: () => now })
  const server = servers.of('notes')
  const listings = () => at.methods.filter((method) => method === 'tools/list').length
  const first = await server.list(soon())
  now += 59_000
  expect(await server.list(soon())).toBe(first)
  expect(listings()).toBe(1)
  now += 2_000
  await Promise.all([server.list(soon()), server.list(soon())])
  expect(listings()).toBe(2)
})

test('a list is loaded again after a change notification', async () => {
  const at = await startNotesServer(t, { ttlMs: 3_600_000 })
  const { servers } = openMcp(t, { notes: { url: at.url } })
  const server = servers.of('notes')
  expect(await toolNamesOf(server)).not.toContain('later')
  await until(() => at.methods.includes('subscriptions/listen'), 'it listens')
  await until(async () => {
    at.add('later')
    return (await toolNamesOf(server)).includes('later')
  }, 'the new tool is listed')
})

test('when the notification stream is cut off, a list counts as changed, and the stream is opened again', async () => {
  const at = await startNotesServer(t, { ttlMs: 3_600_000 })
  const server = openMcp(t, { notes: { url: at.url } }).servers.of('notes')
  const listenings = () => at.methods.filter((method) => method === 'subscriptions/listen').length
  expect(await toolNamesOf(server)).not.toContain('later')
  await until(() => listenings() === 1, 'it listens')
  await until(async () => {
    at.addSilently('later')
    return (await toolNamesOf(server).catch((): string[] => [])).includes('later')
  }, 'the new tool is listed')
  await until(() => listenings() > 1, 'it listens again')
})

test('HTTPS_PROXY is used for remote servers, except those in NO_PROXY', async () => {
  const at = await startNotesServer(t)
  const proxy = await connectProxy(t)
  const through = at.url.replace('http://127.0.0.1', 'https://notes.tst')
  const { servers } = openMcp(
    t,
    { far: { url: through }, near: { url: at.url } },
    { proxy: { uri: proxy.url, noProxy: '127.0.0.1' } },
  )
  expect(await toolNamesOf(servers.of('near'))).toContain('add_note')
  expect(proxy.asked).toEqual([])
  // The server does not support TLS, so the call fails here.
  await expect(use(servers.of('far'), 'env', { timeoutMs: 60_000 })).rejects.toThrow(/^far cannot be reached/)
  expect(proxy.asked[0]).toContain('notes.tst:')
})

test('an unreachable server is down, with a sentence; the others are not', async () => {
  const { servers } = openMcp(t, {
    gone: { url: `http://127.0.0.1:${await freePort()}/mcp` },
    absent: { command: '/nowhere/at/all', args: ['--token', 'hunter22'] },
    notes: { url: (await startNotesServer(t)).url },
  })
  await expect(use(servers.of('gone'), 'x')).rejects.toMatchObject({
    message: 'gone cannot be reached (ECONNREFUSED).',
    isDown: true,
  })
  await expect(use(servers.of('absent'), 'x')).rejects.toMatchObject({
    message: expect.stringMatching(/^absent cannot be started/),
    isDown: true,
  })
  expect(servers.of('gone').status()).toMatchObject({ state: 'down', why: expect.stringMatching(/cannot be reached/) })
  expect(await toolNamesOf(servers.of('notes'))).toContain('env')
  expect(() => servers.of('other')).toThrow('other is not a server in MCP_CONFIG.')
})

test('a server that needs a login says so; a rejected key in MCP_CONFIG is reported as wrong', async () => {
  const guarded = await startWebServer(
    (_, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
  )
  const keyed = { url: guarded.url, headers: { Authorization: 'Bearer old-key-1' } }
  const { servers } = openMcp(t, { open: { url: guarded.url }, keyed })
  await expect(use(servers.of('open'), 'x')).rejects.toThrow(/an operator logs in \(npm run mcp -- login open\)/)
  expect(servers.of('open').status().state).toBe('needs-login')
  await expect(use(servers.of('keyed'), 'x')).rejects.toThrow(
    'keyed rejected the Authorization header from MCP_CONFIG.',
  )
  expect(servers.of('keyed').status().state).toBe('down')
})

test('a login’s token is sent to the server and hidden like a key', async () => {
  const at = await startNotesServer(t)
  const login = { token: async () => 'token-of-the-login', secrets: () => ['token-of-the-login'] }
  const { servers } = openMcp(t, { notes: { url: at.url } }, { authOf: () => login })
  expect(await said(use(servers.of('notes'), 'search_notes', { args: { query: 'x' } }))).toBe('[]')
  expect(at.headers.every(({ authorization }) => authorization === 'Bearer token-of-the-login')).toBe(true)
  await expect(use(servers.of('notes'), 'token-of-the-login')).rejects.toThrow(/^notes refused: .*\[secret\]/)
})

test('Streamable HTTP of the older protocol: a lost session is opened again, and the call is made', async () => {
  const at = await startEverything(t, 'streamableHttp')
  let forgets = false
  const front = await startWebServer((path, response, request) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (forgets && request.headers['mcp-session-id'] !== undefined && request.method === 'POST') {
        forgets = false
        return void response.writeHead(404).end()
      }
      const { method, headers } = request
      const on = httpRequest(new URL(path, at), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response).on('error', () => {})
      })
      on.on('error', () => response.destroy()).end(Buffer.concat(chunks))
      response.on('close', () => on.destroy())
    })
  })
  const { servers } = openMcp(t, { everything: { type: 'http', url: `${front.url}/mcp` } })
  const server = servers.of('everything')
  expect(await toolNamesOf(server)).toContain('echo')
  expect(await said(use(server, 'echo', { args: { message: 'before' } }))).toContain('before')
  forgets = true
  expect(await said(use(server, 'echo', { args: { message: 'after' } }))).toContain('after')
  expect(forgets).toBe(false)
})
