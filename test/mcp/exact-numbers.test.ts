/** Numbers that a double cannot hold, to and from MCP servers, and on the card that allows the call. */
import { expect, test } from 'vitest'
import { runOn } from '../harness/agent-run.ts'
import { ONCE, press, waitingCard } from '../harness/approvals.ts'
import { startBot } from '../harness/bot.ts'
import { startAccountServer } from '../harness/mcp/account-server.ts'
import { mcpFile } from '../harness/mcp/mcp-servers.ts'
import { ourStdio } from '../harness/mcp/our-stdio.ts'
import { atUrl, byCommand, openToolbox, PLACE } from '../harness/mcp/toolbox.ts'
import { act, finish, structured } from '../harness/played-model.ts'
import type { McpServerConfig } from '../../src/mcp/types.ts'
import type { Ends } from '../harness/ends.ts'

const { command, args } = ourStdio('account-server.ts')
const SERVERS: Record<string, (t: Ends) => Promise<McpServerConfig>> = {
  stdio: async () => byCommand('bank', [command, ...args], { trust: true }),
  'http with one body': async () => atUrl('bank', (await startAccountServer('json')).url, { trust: true }),
  'http with an event': async () => atUrl('bank', (await startAccountServer('event')).url, { trust: true }),
  'http with an event of two lines': async () =>
    atUrl('bank', (await startAccountServer('lines')).url, { trust: true }),
}

test.for(Object.keys(SERVERS))('%s: digits arrive in the call and in its result', async (name, t) => {
  const toolbox = await openToolbox(t, [await SERVERS[name]!(t)])
  await toolbox.tool('bank__look')
  const tools = await toolbox.toolsFor(PLACE)
  const input =
    '{"account": 1234567890123456789, "name": 12.10, "amount": 99.90, "count": 2.0, "all": [9007199254740993]}'
  const model = [{ toolCalls: [{ name: 'bank__look', arguments: input }] }, 'Done.']
  const { observations } = await runOn(t, { dialect: 'native', tools, model })
  expect(observations[0]).toContain(
    'got {"account":1234567890123456789,"name":"12.10","amount":99.90,"count":2,"all":[9007199254740993]}',
  )
  expect(observations[0]).toContain(
    '{"id":1234567890123456789,"price":12.10,"rows":[{"n":9007199254740993}],"said":"id 12.10"}',
  )
})

const LIMITS = [
  ...['"minimum":9007199254740993', '"maximum":18446744073709551615', '"default":1234567890123456789'],
  ...['9007199254740995', '"const":1234567890123456789', '"exclusiveMaximum":9007199254740994'],
]

test.for(Object.keys(SERVERS))('%s: limits of a tool reach the model as they were written', async (name, t) => {
  const toolbox = await openToolbox(t, [await SERVERS[name]!(t)])
  await toolbox.tool('bank__pick')
  const tools = await toolbox.toolsFor(PLACE)
  for (const dialect of ['native', 'text', 'json', 'structured'] as const) {
    const done = {
      native: 'Done.',
      structured: structured('answer', 'Done.'),
      text: finish('Done.'),
      json: finish('Done.'),
    }
    const { model } = await runOn(t, { dialect, tools, model: [done[dialect]] })
    const raw = model.requests[0]!.raw.replaceAll('\\"', '"')
    for (const limit of LIMITS) if (dialect !== 'structured') expect(raw, `${dialect} ${limit}`).toContain(limit)
    expect(raw).toContain('[9007199254740993,9007199254740995')
    expect(raw).not.toMatch(/ufdd0|\ufdd0/i)
  }
})

test('limits over 2^53 are held to the digit', async (t) => {
  const toolbox = await openToolbox(t, [await SERVERS.stdio!(t)])
  await toolbox.tool('bank__pick')
  const tools = await toolbox.toolsFor(PLACE)
  const id = '"id": 9007199254740993'
  const wrong = {
    '{"id": 9007199254740992}': 'id: must be >= 9007199254740993',
    '{"id": 18446744073709551616}': 'id: must be <= 18446744073709551615',
    [`{${id}, "kind": 9007199254740994}`]: 'kind: should be one of 9007199254740993, 9007199254740995, "none"',
    [`{${id}, "fixed": 1234567890123456788}`]: 'fixed: should be 1234567890123456789',
    [`{${id}, "odd": 9007199254740994}`]: 'odd: must be < 9007199254740994',
    [`{${id}, "three": 9007199254740994}`]: 'three: must be multiple of 3',
  }
  for (const [input, message] of Object.entries(wrong)) {
    const model = [{ toolCalls: [{ name: 'bank__pick', arguments: input }] }, 'Done.']
    expect((await runOn(t, { dialect: 'native', tools, model })).observations[0], input).toContain(message)
  }
  const right = `{"id":9007199254740993,"kind":9007199254740995,"fixed":1234567890123456789,"odd":9007199254740993,"three":9007199254740993,"share":0.5}`
  const model = [{ toolCalls: [{ name: 'bank__pick', arguments: right }] }, 'Done.']
  expect((await runOn(t, { dialect: 'native', tools, model })).observations[0]).toContain(`got ${right}`)
})

test('the card shows the digits that are sent, and the model reads those that came back', async (t) => {
  const server = await startAccountServer('json')
  const env = { MCP_CONFIG: mcpFile(t, { mcpServers: { bank: { type: 'http', url: server.url } } }) }
  const bot = await startBot(t, { env })
  const input = '{"account": 1234567890123456789, "amount": 12.10}'
  bot.model.on('Pay it', act('I pay.', 'bank__look', input), finish('Paid.'))
  const thread = await bot.mention('Pay it')
  const card = await waitingCard(bot, thread)
  const shown = JSON.stringify(card)
  expect(shown).toContain('1234567890123456789')
  expect(shown).toContain('12.10')
  expect(shown).not.toMatch(/ufdd0|\ufdd0/i)
  await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
  await thread.ended()
  expect(server.bodies.filter((body) => body.includes('tools/call'))).toEqual([
    expect.stringContaining('"arguments":{"account":1234567890123456789,"amount":12.10}'),
  ])
  expect(JSON.stringify(bot.slack.calls)).not.toMatch(/ufdd0|\ufdd0/i)
})
