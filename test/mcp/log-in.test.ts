/** `npm run mcp -- login` from end to end, in a separate process. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { startOAuthServer, type OAuthMcpServer } from '../harness/mcp/oauth-server.ts'
import { addressShown, mcpFolder, operatorCommand } from '../harness/mcp/operator-command.ts'

vi.setConfig({ testTimeout: 180_000 })

describeWithRedis('npm run mcp -- login', () => {
  const redis = suiteRedis()

  async function loggingIn() {
    const t = { onTestFinished }
    const server = await startOAuthServer(t)
    const prefix = `login-${server.origin.split(':')[2]}`
    const env = { REDIS_URL: redis.url, REDIS_PREFIX: prefix }
    const place = await mcpFolder(t, { tickets: { url: server.url } }, env)
    return { server, prefix, start: () => operatorCommand(t, place, 'login', 'tickets') }
  }

  /** Logs in by a browser on this machine. */
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

  test('a person logs in with a browser, and the tokens are stored encrypted', async () => {
    const { server, prefix, start } = await loggingIn()
    const { code, stdout, stderr, page } = await through(server, start())
    expect(stderr).toBe('')
    expect(stdout).toContain('Logged in at tickets. The bot uses it from now on.')
    expect(code).toBe(0)
    expect(page).toBe('Thank you. You can close this page and return to the terminal.\n')
    expect(server.counts).toMatchObject({ registered: 1, exchanged: 1 })
    const kept = await stored(prefix)
    expect(kept).toContain(`${prefix}:{mcp}:login:tickets`)
    expect(server.given.filter((secret) => kept.includes(secret) || stdout.includes(secret))).toEqual([])
    expect(server.given.map((secret) => secret.split('-')[0])).toEqual(['code', 'access', 'refresh'])
  })

  test('without a browser the final address is pasted', async () => {
    const { server, start } = await loggingIn()
    const command = start()
    const back = await server.browse(await addressShown(command))
    command.write('hello\n')
    await command.shows('That is not the right address')
    command.write(`  ${back}  \n`)
    expect(await command.ended).toMatchObject({ code: 0, stderr: '' })
  })
})
