import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadMcpConfig } from '../../src/mcp/config/mcp-config.ts'
import { temporaryFolder } from '../harness/command.ts'
import type { Ends } from '../harness/ends.ts'
import { mcpFolder, operatorCommand } from '../harness/mcp/operator-command.ts'
import { freePort } from '../harness/redis.ts'

vi.setConfig({ testTimeout: 180_000 })

async function serversOf(t: Ends, server: Record<string, unknown>, env = {}) {
  const file = join(await temporaryFolder(t), 'mcp.json')
  await writeFile(file, JSON.stringify({ mcpServers: { tickets: { url: 'https://tickets.example/mcp', ...server } } }))
  return { file, load: () => loadMcpConfig(file, env).servers }
}

test('the login client is under "oauth", and its secret is hidden', async (t) => {
  const oauth = { clientId: 'thinkaloud', clientSecret: '${TICKETS_SECRET}', scope: 'read write' }
  const { load } = await serversOf(t, { oauth }, { TICKETS_SECRET: 'very-secret-9' })
  expect(load()).toMatchObject([
    {
      oauth: { clientId: 'thinkaloud', clientSecret: 'very-secret-9', scope: 'read write' },
      secrets: ['very-secret-9'],
    },
  ])
})

test('an unknown key and a value that is not text are refused by name', async (t) => {
  const unknown = await serversOf(t, { oauth: { clientID: 'x' } })
  expect(unknown.load).toThrow(
    `MCP_CONFIG: ${unknown.file}: tickets.oauth has "clientID", which is not a key of an object.`,
  )
  const number = await serversOf(t, { oauth: { clientId: 7 } })
  expect(number.load).toThrow(`MCP_CONFIG: ${number.file}: tickets.oauth.clientId should be a text.`)
  const none = await serversOf(t, { oauth: true })
  expect(none.load).toThrow(`tickets.oauth should be an object with clientId, clientSecret or scope.`)
})

test.each([
  [['login', 'nobody'], 'MCP_CONFIG has no server nobody. It has tickets, files, own.'],
  [['login', 'files'], 'files runs on this machine. Put its credentials into its env in MCP_CONFIG.'],
  [['login', 'tickets'], 'tickets needs no login: MCP_CONFIG has an Authorization header for it.'],
  [['login', 'own'], 'own has "login": "person": people connect it themselves, by /ask connections in Slack.'],
  [['constructor'], 'Usage: npm run mcp -- COMMAND'],
  [['list', '--port', '1'], 'Usage: npm run mcp -- COMMAND'],
])('npm run mcp -- %j is refused with a sentence', async (args, sentence) => {
  const tickets = { url: 'https://tickets.example/mcp', headers: { authorization: 'Bearer x-very-secret' } }
  const own = { url: 'https://own.example/mcp', login: 'person' }
  // Nobody listens there, so a refusal must not connect.
  const env = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` }
  const place = await mcpFolder({ onTestFinished }, { tickets, files: { command: 'node' }, own }, env)
  const { code, stdout, stderr } = await operatorCommand({ onTestFinished }, place, ...args).ended
  expect([code, stdout, stderr.split('\n')[0]]).toEqual([1, '', sentence])
})

test('a server without login is reported as such, even without REDIS_URL', async () => {
  const place = await mcpFolder({ onTestFinished }, { files: { command: 'node' } })
  const { code, stderr } = await operatorCommand({ onTestFinished }, place, 'login', 'files').ended
  expect([code, stderr]).toEqual([1, 'files runs on this machine. Put its credentials into its env in MCP_CONFIG.\n'])
})

test.each(['login', 'accept'])('%s without REDIS_URL says why it is not possible', async (name) => {
  const place = await mcpFolder({ onTestFinished }, { tickets: { url: 'https://tickets.example/mcp' } })
  const { code, stderr } = await operatorCommand({ onTestFinished }, place, name, 'tickets').ended
  expect([code, stderr]).toEqual([1, `REDIS_URL is missing. Without Redis, ${name} cannot reach the bot.\n`])
})
