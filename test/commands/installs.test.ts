/** `npm run installs`: how operators see and end installations; and the doctor's lines about them. */
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { fileEnds } from '../harness/ends.ts'
import { commandHere, startCommand } from '../harness/command.ts'
import { grantSlack, linkIn, logIn } from '../harness/connecting-bot.ts'
import { startOAuthServer } from '../harness/mcp/oauth-server.ts'
import { mcpFile } from '../harness/mcp/mcp-servers.ts'
import { distributed, startManyBot } from '../harness/many-bot.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'

const FILE = 'src/commands/installs.ts'
const ACME = { id: 'T0ACME00001' }
const OTHER = { id: 'T0OTHER0001' }

describeWithRedis('npm run installs', async () => {
  const ends = fileEnds()
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())
  const tickets = await startOAuthServer(ends)
  const mcp = mcpFile(ends, { mcpServers: { tickets: { url: tickets.url, login: 'person' } } })
  const settings = { REDIS_URL: server.url, MCP_CONFIG: mcp }
  const bot = await startManyBot(ends, { rotates: true, env: () => settings })
  for (const home of [ACME, OTHER]) await bot.install(home)
  await bot.slack.mention(ACME, 'Who?', { channel: 'C0ACME00001' })
  await bot.answered('C0ACME00001')
  const env = { ...distributed(bot.slack), ...settings }
  const redis = new Redis(server.url)
  ends.onTestFinished(() => redis.disconnect())

  test('list prints a line or an object per installation, without tokens', async (t) => {
    const plain = await startCommand(t, FILE, { args: ['list'], env }).ended
    expect(plain.stdout).toMatch(
      /^T0ACME00001: token accepted; without .*channels:history.*; search off; token ends .*; last used /,
    )
    expect(plain.stdout).toContain('T0OTHER0001: token accepted')
    const json = await commandHere(t, FILE, { args: ['list', '--json'], env }).ended
    const rows = JSON.parse(json.stdout)
    expect(rows[0]).toEqual({
      ...{ team: ACME.id, token: 'ok', missingScopes: expect.arrayContaining(['channels:history']), search: 'off' },
      ...{ rotation: expect.stringMatching(/^2\d{3}-/), lastUsed: expect.stringMatching(/^2\d{3}-/) },
    })
    expect(rows[1]).toMatchObject({ team: OTHER.id, lastUsed: null })
    expect([plain.code, json.code, plain.stdout + json.stdout]).toEqual([0, 0, expect.not.stringContaining('xoxe')])
  })

  test('show prints one of them; an unknown team or command is one sentence', async (t) => {
    const shown = await commandHere(t, FILE, { args: ['show', OTHER.id, '--json'], env }).ended
    expect(JSON.parse(shown.stdout)).toEqual([expect.objectContaining({ team: OTHER.id })])
    const unknown = await commandHere(t, FILE, { args: ['show', 'T0NOWHERE01'], env }).ended
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('The bot is not installed in T0NOWHERE01.'),
    ])
    expect((await commandHere(t, FILE, { args: ['drop'], env }).ended).code).toBe(1)
  })

  test('a record sealed with another key is listed as unreadable', async (t) => {
    const other = { ...env, SECRETS_KEY: 'another key that is long enough too' }
    const { stdout } = await commandHere(t, FILE, { args: ['list', '--json'], env: other }).ended
    expect(JSON.parse(stdout)).toMatchObject([{ team: ACME.id, token: 'unreadable' }, { token: 'unreadable' }])
  })

  test('the doctor prints a line for each', async (t) => {
    const { stdout } = await commandHere(t, 'src/commands/doctor.ts', { args: ['--json'], env }).ended
    const { findings } = JSON.parse(stdout) as { findings: { area: string; name: string }[] }
    expect(findings.filter(({ area }) => area === 'Slack').map(({ name }) => name)).toEqual([ACME.id, OTHER.id])
  })

  test('remove revokes the token and people’s logins, and deletes everything of that workspace only', async (t) => {
    for (const home of [ACME, OTHER]) {
      expect((await grantSlack(bot, home)).page.status).toBe(200)
      const person = bot.browser()
      const back = await logIn(person, await linkIn(bot, home, { account: 'tickets' }), tickets, (asked) =>
        bot.slack.signIn({ user: 'U0ALICE0001', team: home.id }, asked),
      )
      expect((await person.get(back)).status).toBe(200)
    }
    const { code, stdout } = await commandHere(t, FILE, { args: ['remove', ACME.id], env }).ended
    expect([code, stdout]).toEqual([0, expect.stringContaining('Removed: T0ACME00001')])
    expect(bot.slack.calls.filter(({ method }) => method === 'auth.revoke')).toMatchObject([
      { home: ACME.id },
      { home: `U0ALICE0001 of ${ACME.id}` },
    ])
    expect(tickets.counts.revoked).toBe(1)
    expect(await redis.keys('*T0ACME00001*')).toEqual([])
    expect(await redis.hkeys('thinkaloud:{installations}:records')).toEqual([OTHER.id])
  })
})

test('without Redis the command says that it cannot see any', async (t) => {
  const { code, stderr } = await commandHere(t, FILE, {
    args: ['list'],
    env: distributed({ apiUrl: 'http://127.0.0.1:9/api/' }),
  }).ended
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^REDIS_URL is missing/)])
})
