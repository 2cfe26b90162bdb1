/** The bot with MCP_CONFIG: the tools of a question by place and time, and what people see of them. */
import { expect, test } from 'vitest'
import { GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import { secondBot, startBot, type TestBot } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { startChangingServer } from '../harness/mcp/changing-server.ts'
import { mcpFile } from '../harness/mcp/mcp-servers.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { strangers } from '../harness/slack-hands.ts'
import { eventually } from '../harness/stores.ts'

const FILES = [
  { name: 'read', description: 'Reads a file.', annotations: { readOnlyHint: true } },
  { name: 'wipe', description: 'Wipes a file.' },
]

/** Writes MCP_CONFIG with one server and these rules. */
const config = (t: Ends, url: string, rules: object = {}) => ({
  MCP_CONFIG: mcpFile(t, { mcpServers: { files: { type: 'http', url, ...rules } } }),
})

const textCall = 'I look.\nAction: files__read\nAction Input: {"path": "a"}'

/** Returns the names of the tools in the model's prompt. */
async function toldOf(bot: TestBot, channel = GENERAL): Promise<string[]> {
  bot.model.on('Anything', finish('No.'))
  await (await bot.mention('Anything?', { channel })).ended()
  const system = bot.model.requests.at(-1)?.body.messages[0]?.content ?? ''
  return [...system.matchAll(/^((?:files__)\w+|tool_details): /gm)].map(([, name]) => name ?? '')
}

test('a question is answered with a server’s tool, in the thread', async (t) => {
  const server = await startChangingServer(FILES)
  server.answer = () => 'The file says 42.'
  const bot = await startBot(t, { env: config(t, server.url, { trust: true }) })
  bot.model.on('the file', textCall, finish('42, says the file.'))
  const thread = await bot.mention('What does the file say?')
  await thread.ended()
  expect(thread.steps()).toHaveLength(1)
  expect(server.calls).toEqual([{ name: 'read', arguments: { path: 'a' } }])
  expect(bot.model.requests.at(-1)?.prompt).toContain('>The file says 42.</')
})

test('a server is available only in its channels', async (t) => {
  const server = await startChangingServer(FILES)
  const bot = await startBot(t, { env: config(t, server.url, { trust: true, channels: [GENERAL] }) })
  expect(await toldOf(bot)).toEqual(['files__read', 'files__wipe'])
  expect(await toldOf(bot, RANDOM)).toEqual([])
})

test('a channel chooses among them, and the Home says which are off and why', async (t) => {
  const server = await startChangingServer([...FILES, { name: 'sneak', description: 'Reads.\u200b\u200b' }])
  const bot = await startBot(t, { env: config(t, server.url, { trust: true }) })
  expect(await toldOf(bot)).toEqual(['files__read', 'files__wipe'])
  await bot.slack.slash('settings', { channel: GENERAL })
  const form = await bot.modal()
  expect(JSON.stringify(form.view())).not.toContain('sneak')
  await form.submit({ tools: ['calculator', 'files__read'] })
  await eventually(async () => expect(await toldOf(bot)).toEqual(['files__read']))
  expect(await toldOf(bot, RANDOM)).toEqual(['files__read', 'files__wipe'])
  const home = (await bot.openHome(strangers.admin(bot.slack))).shown()
  expect(home).toContain('✅ Read: Reads a file.')
  expect(home).toMatch(/sneak of files.*invisible characters/)
})

test('with more tools than MCP_TOOLS_MAX each has a line', async (t) => {
  const server = await startChangingServer(FILES)
  const bot = await startBot(t, { env: { ...config(t, server.url), MCP_TOOLS_MAX: '1' } })
  expect(await toldOf(bot)).toEqual(['files__read', 'files__wipe', 'tool_details'])
})

test('all tools of a server with many are chosen as one', async (t) => {
  const server = await startChangingServer(Array.from({ length: 30 }, (_, i) => ({ name: `t${i}` })))
  const bot = await startBot(t, { env: config(t, server.url) })
  expect(await toldOf(bot)).toHaveLength(30)
  await bot.slack.slash('settings', { channel: GENERAL })
  await (await bot.modal()).submit({ tools: ['files__*'] })
  await eventually(async () => {
    expect(await toldOf(bot)).toHaveLength(30)
    expect(bot.model.requests.at(-1)?.prompt).not.toContain('calculator: ')
  })
})

test('an unavailable server does not affect the others, and the Home says so', async (t) => {
  const bot = await startBot(t, { env: config(t, 'http://127.0.0.1:1/mcp') })
  expect(await toldOf(bot)).toEqual([])
  expect((await bot.openHome(strangers.admin(bot.slack))).shown()).toMatch(/MCP.*files/s)
})

describeWithRedis('with the front and the worker apart', () => {
  const redis = suiteRedis()

  test('the front knows the tools from the worker’s stored list, without asking a server', async (t) => {
    const server = await startChangingServer(FILES)
    const env = { ...config(t, server.url, { trust: true }), REDIS_URL: redis.url, REDIS_PREFIX: 'apart' }
    const front = await startBot(t, { env: { ...env, ROLE: 'front' } })
    expect(server.listings).toBe(0)
    await secondBot(t, front, { ...env, ROLE: 'worker' })
    expect(await toldOf(front)).toEqual(['files__read', 'files__wipe'])
    const { listings } = server
    await eventually(async () => {
      await front.slack.slash('settings', { channel: GENERAL })
      const form = await front.modal()
      expect(JSON.stringify(form.view())).toContain('files__wipe')
    })
    expect(server.listings).toBe(listings)
  })
})
