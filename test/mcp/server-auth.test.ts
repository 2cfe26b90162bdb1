/** A worker's use of a login: `npm run mcp -- check` and `list` connect as the bot does. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { sealerOf } from '../../src/base/encryption.ts'
import { loadMcpConfig } from '../../src/mcp/config/mcp-config.ts'
import { openLoggedIn } from '../../src/mcp/login/server-auth.ts'
import { createValues } from '../../src/stores/values/value-store.ts'
import { startCommand } from '../harness/command.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { startOAuthServer } from '../harness/mcp/oauth-server.ts'
import type { OAuthMode } from '../harness/mcp/authorization-server.ts'
import { loginPlace } from '../harness/mcp/login-here.ts'
import { MCP, SECRETS_KEY, mcpFolder, operatorCommand } from '../harness/mcp/operator-command.ts'
import { redisKv } from '../../src/stores/kv/redis-kv.ts'

vi.setConfig({ testTimeout: 180_000 })

describeWithRedis('a login of the workspace', () => {
  const redis = suiteRedis()

  async function server() {
    const t = { onTestFinished }
    const server = await startOAuthServer(t)
    const prefix = `auth-${server.origin.split(':')[2]}`
    const env = { REDIS_URL: redis.url, REDIS_PREFIX: prefix }
    const place = await mcpFolder(t, { tickets: { url: server.url } }, env)
    const run = (...args: string[]) => operatorCommand(t, place, ...args).ended
    const withKey = (SECRETS_KEY: string) => ({ ...place, env: { ...place.env, SECRETS_KEY } })
    const runWith = (key: string, ...args: string[]) => operatorCommand(t, withKey(key), ...args).ended
    return { server, prefix, place, run, runWith }
  }

  async function loggedIn(mode: OAuthMode = {}) {
    const parts = await server()
    Object.assign(parts.server.mode, mode)
    const store = createValues(redisKv({ redis: redis.connect(), prefix: parts.prefix }), { room: 'mcp' })
    expect((await loginPlace({ onTestFinished }, parts.server, { store }).through()).fault).toBeUndefined()
    return parts
  }

  test('a server without one says so, with one log line for all processes', async () => {
    const { run } = await server()
    const [first, second] = [await run('check'), await run('check')]
    expect([first.code, first.stdout]).toEqual([
      1,
      'tickets\tneeds a login\tThe server requires a login, and there is none.\n',
    ])
    expect(linesAbout(first.stderr)).toEqual(['An MCP server needs a login: npm run mcp -- login tickets'])
    expect(linesAbout(second.stderr)).toEqual([])
    expect(await run('list')).toMatchObject({
      code: 0,
      stdout: 'tickets\thttp\tneeds a login: The server requires a login, and there is none.\n1 server\n',
    })
  })

  test('after the login the server is available', async () => {
    const { run } = await loggedIn()
    expect(await run('check')).toMatchObject({ code: 0, stdout: 'tickets\tup\t1 tool\n' })
    expect((await run('list')).stdout).toBe('tickets\thttp\tlogged in\n1 server\n')
  })

  test('two processes with an expired token renew it once: a refresh token is never used twice', async () => {
    const { server, place, run } = await loggedIn()
    server.expire()
    // Longer than the start of both: without the lock, both would send the same refresh token.
    server.mode.renewalMs = 3_000
    const started = () => startCommand({ onTestFinished }, MCP, { ...place, args: ['check'] }).ended
    const both = await Promise.all([started(), started()])
    expect(both.map(({ code, stdout }) => [code, stdout])).toEqual(Array(2).fill([0, 'tickets\tup\t1 tool\n']))
    expect(server.counts).toMatchObject({ renewed: 1, reused: 0 })
    delete server.mode.renewalMs
    server.expire()
    expect((await run('check')).code).toBe(0)
    expect(server.counts).toMatchObject({ renewed: 2, reused: 0 })
  })

  test('an expired token is renewed before it is sent', async () => {
    const { server, run } = await loggedIn({ expiresIn: 0 })
    expect((await run('check')).code).toBe(0)
    expect(server.counts.renewed).toBeGreaterThan(0)
  })

  test('a revoked login is reported once and removed', async () => {
    const { server, run } = await loggedIn()
    server.revoke()
    const why = 'Its login has expired, and the authorization server does not renew it.'
    const [first, second] = [await run('check'), await run('check')]
    expect([first.code, first.stdout]).toEqual([1, `tickets\tneeds a login\t${why}\n`])
    expect(linesAbout(first.stderr)).toEqual(['An MCP server needs a login: npm run mcp -- login tickets'])
    expect([second.code, linesAbout(second.stderr)]).toEqual([1, []])
    expect((await run('list')).stdout).toContain(`needs a login: ${why}`)
  })

  test('a call uses the login, and a token in the result is hidden', async () => {
    const { server, prefix, place } = await loggedIn()
    const store = createValues(redisKv({ redis: redis.connect(), prefix }), { room: 'mcp' })
    const config = loadMcpConfig(place.env['MCP_CONFIG'] ?? '', {})
    const deps = { log: createLog('silent'), now: Date.now, store, sealer: sealerOf(SECRETS_KEY) }
    const servers = openLoggedIn(config, deps)
    onTestFinished(() => servers.close())
    const options = { signal: new AbortController().signal, timeoutMs: 60_000 }
    const call = (id: string) => servers.of('tickets').call('read_ticket', { id }, options)
    expect(await call('7')).toMatchObject({ text: 'Ticket 7 is open.' })
    expect(await call('echo_login')).toMatchObject({ text: 'Bearer [secret]' })
    server.expire()
    expect(await call('8')).toMatchObject({ text: 'Ticket 8 is open.' })
    server.revoke()
    await expect(call('9')).rejects.toThrow(
      'tickets cannot be used until an operator logs in (npm run mcp -- login tickets).',
    )
    expect(servers.of('tickets').status()).toMatchObject({ state: 'needs-login' })
    expect(server.calls).toEqual(['7', 'echo_login', '8'])
  })

  test('a temporary failure of the authorization server keeps the login', async () => {
    const { server, run } = await loggedIn()
    server.expire()
    server.mode.refuses = { error: 'temporarily_unavailable', error_description: '<b>soon</b>' }
    const failed = await run('check')
    expect([failed.code, failed.stdout]).toEqual([
      1,
      'tickets\tdown\tThe authorization server of tickets refused: temporarily_unavailable.\n',
    ])
    delete server.mode.refuses
    expect((await run('check')).code).toBe(0)
    expect(server.counts).toMatchObject({ renewed: 1, reused: 0 })
  })

  test('another or a missing SECRETS_KEY is reported in a sentence', async () => {
    const { run, runWith } = await loggedIn()
    const other = await runWith('another-key-that-is-long-enough-to-be-one', 'check')
    const why = 'Its login cannot be read. It was stored with another SECRETS_KEY.'
    expect([other.code, other.stdout]).toEqual([1, `tickets\tneeds a login\t${why}\n`])
    const none = await runWith('', 'check')
    expect(none.stdout).toContain('Its login cannot be read. It was stored with a SECRETS_KEY, which is not set now.')
    const login = await runWith('', 'login', 'tickets')
    expect([login.code, login.stderr]).toEqual([
      1,
      expect.stringMatching(/^SECRETS_KEY is missing\. .*openssl rand -hex 32/),
    ])
    expect((await run('check')).code).toBe(0)
  })
})

function linesAbout(log: string): string[] {
  const lines = log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as { msg: string }] : []))
  return lines.map(({ msg }) => msg).filter((msg) => msg.includes('needs a login'))
}
