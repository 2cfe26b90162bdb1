import { afterEach, expect, test } from 'vitest'
import { authFetch, serverFetch } from '../../src/mcp/servers/http-fetch.ts'
import type { HttpServerConfig } from '../../src/mcp/types.ts'
import { createAgents, type Agents, type Resolve } from '../../src/base/http/connection-pools.ts'
import { startWebServer } from '../harness/web-server.ts'

let opened: Agents | undefined
afterEach(async () => {
  await Promise.all([opened?.inside.destroy(), opened?.outside.destroy()])
  opened = undefined
})

async function fetches(url: string, resolve?: Resolve) {
  const agents = (opened = await createAgents(resolve ? { resolve } : {}))
  const server: HttpServerConfig = {
    name: 'notes',
    kind: 'http',
    url,
    headers: { 'X-Key': 'abc', Accept: 'x/y' },
    trust: false,
    secrets: [],
  }
  return { own: serverFetch(server, { agents }), login: authFetch(server, { agents }) }
}

test('configured headers go to the server’s own origin, and the SDK’s headers win', async () => {
  const at = await startWebServer((_, response) => void response.end('ok'))
  const { own } = await fetches(`${at.url}/mcp`)
  const answer = await own(`${at.url}/mcp`, { method: 'POST', headers: { accept: 'application/json' }, body: '{}' })
  expect(await answer.text()).toBe('ok')
  expect(at.requests[0]?.headers).toMatchObject({ 'x-key': 'abc', accept: 'application/json' })
})

test('only the server’s own origin is requested', async () => {
  const other = await startWebServer((_, response) => void response.end())
  const { own } = await fetches('http://127.0.0.1:1/mcp')
  await expect(own(`${other.url}/mcp`)).rejects.toThrow(
    'notes redirected to an address other than the one in MCP_CONFIG.',
  )
  expect(other.requests).toEqual([])
})

test('a cloud metadata address is refused, even in MCP_CONFIG', async () => {
  const { own } = await fetches('http://169.254.169.254/mcp')
  await expect(own('http://169.254.169.254/mcp')).rejects.toThrow(
    'notes has an address in MCP_CONFIG that is not allowed.',
  )
  const named = await fetches('http://meta.example.com/mcp', async () => [{ address: '169.254.169.254', family: 4 }])
  await expect(named.own('http://meta.example.com/mcp')).rejects.toMatchObject({ cause: { name: 'AddressRefused' } })
})

test('a login may also reach public addresses, but no private one by address, name or redirect', async () => {
  const other = await startWebServer((_, response) => void response.end())
  const at = await startWebServer((path, response) =>
    path === '/moved'
      ? void response.writeHead(302, { location: `${other.url}/inner` }).end()
      : void response.writeHead(302, { location: '/here' }).end(path === '/here' ? 'here' : ''),
  )
  const { login } = await fetches(`${at.url}/mcp`, async () => [{ address: '127.0.0.1', family: 4 }])
  await expect(login(`${other.url}/token`)).rejects.toThrow('The login of notes may not call 127.0.0.1')
  await expect(login('http://metadata.internal/token')).rejects.toThrow(
    'The login of notes may not call metadata.internal',
  )
  await expect(login('https://auth.example.com/token')).rejects.toMatchObject({ cause: { name: 'AddressRefused' } })
  expect((await login(`${at.url}/moved`)).status).toBe(302)
  expect(other.requests).toEqual([])
})

test('a redirect within the origin is followed with its headers, up to a limit', async () => {
  const at = await startWebServer((path, response) => {
    if (path === '/here') response.end('here')
    else response.writeHead(path === '/round' ? 307 : 302, { location: path === '/round' ? '/round' : '/here' }).end()
  })
  const { login } = await fetches(`${at.url}/mcp`)
  expect(await (await login(`${at.url}/begin`)).text()).toBe('here')
  expect(at.requests.map(({ headers }) => headers['x-key'])).toEqual(['abc', 'abc'])
  await expect(login(`${at.url}/round`)).rejects.toThrow('notes redirects in a circle.')
  expect(at.paths.filter((path) => path === '/round')).toHaveLength(6)
})

test('a body is counted after decompression', async () => {
  const { gzipSync } = await import('node:zlib')
  const packed = gzipSync(Buffer.alloc(20_000_000))
  const at = await startWebServer(
    (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
  )
  const { own } = await fetches(`${at.url}/mcp`)
  const answer = await own(`${at.url}/mcp`)
  await expect(answer.text()).rejects.toThrow('notes sent more than 5 MB at once')
})
