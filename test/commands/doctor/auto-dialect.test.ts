/** AGENT_DIALECT=auto: the bot's test calls to the model when it starts, and the dialect that it uses afterwards. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { startBot } from '../../harness/bot.ts'
import { runCommand, temporaryFolder } from '../../harness/command.ts'
import { playModel, structured, type PlayedRequest, type Turn } from '../../harness/played-model.ts'

const ANSWERED = '4 is the sum.'

/**
 * Starts a bot whose model is asked for the stock of an article, gets a tool's result, and is then asked a question.
 */
async function autoBot(t: TestContext, probed: (request: PlayedRequest, n: number) => Turn) {
  const asked: PlayedRequest[] = []
  const bot = await startBot(t, {
    env: { AGENT_DIALECT: 'auto' },
    model: (request, n) => {
      if (/stock_level/.test(request.raw)) return probed(request, n)
      asked.push(request)
      return request.body.tools ? ANSWERED : ` I know.\nFinal Answer: ${ANSWERED}`
    },
  })
  const thread = await bot.mention('What is 2 + 2?')
  expect(await thread.lastAnswer()).toContain(ANSWERED)
  return { asked, logs: bot.logs.join('\n') }
}

const call = (name: string, input: string): Turn => ({ toolCalls: [{ id: 'c1', name, arguments: input }] })
const works = (request: PlayedRequest) =>
  request.body.messages.some(({ role }) => role === 'tool')
    ? 'There are 318 pieces.'
    : call('stock_level', '{"article": "K-4711"}')

test.concurrent('the native dialect is chosen if native calls work', async (t) => {
  const { asked, logs } = await autoBot(t, works)
  expect(asked[0]?.body.tools?.map((tool) => tool.function.name)).toContain('calculator')
  expect(logs).toContain('"dialect":"native"')
})

test.for<[what: string, probed: (request: PlayedRequest, n: number) => Turn, why: string]>([
  ['answers in words', () => 'There are about 40, I guess.', 'It answers in words instead of calling a tool.'],
  ['says nothing', () => '', 'It calls no tool and says nothing.'],
  [
    'calls a tool that there is not',
    () => call('stock', '{"article": "K-4711"}'),
    'It calls a tool that does not exist.',
  ],
  ['writes broken arguments', () => call('stock_level', '{"article": '), 'It calls tools with unusable arguments.'],
  ['leaves the argument out', () => call('stock_level', '{}'), 'It calls tools with unusable arguments.'],
  [
    'does not read what the tool gives',
    (request) => (request.body.messages.some(({ role }) => role === 'tool') ? 'Plenty.' : works(request)),
    'It calls tools, but does not read their output.',
  ],
  ['refuses tools', () => ({ status: 400, body: { error: { message: 'tools is not supported' } } }), '.'],
])('where the model %s, the text dialect is spoken', async ([, probed, why], t) => {
  const { asked, logs } = await autoBot(t, probed)
  expect(asked[0]?.body.tools).toBeUndefined()
  expect(asked[0]?.prompt).toContain('Action Input:')
  expect(logs).toContain('"dialect":"text"')
  expect(logs).toContain(why)
})

test.concurrent(
  'the structured dialect is chosen if native calls do not work and the endpoint holds a form',
  async (t) => {
    const held = (request: PlayedRequest) =>
      request.raw.includes('json_schema') ? structured('answer', 'Its stock.') : 'In words.'
    const asked: PlayedRequest[] = []
    const bot = await startBot(t, {
      env: { AGENT_DIALECT: 'auto' },
      model: (request) => {
        if (/stock_level/.test(request.raw)) return held(request)
        asked.push(request)
        return structured('answer', ANSWERED)
      },
    })
    const thread = await bot.mention('What is 2 + 2?')
    expect(await thread.lastAnswer()).toContain(ANSWERED)
    expect(asked[0]?.raw).toContain('json_schema')
    expect(bot.logs.join('\n')).toMatch(
      /"dialect":"structured","why":"It answers in words instead of calling a tool\."/,
    )
  },
)

test.concurrent(
  'where an endpoint is down at the start, the bot starts all the same, with a warning, and speaks text',
  async (t) => {
    const { logs } = await autoBot(t, () => ({ status: 503, body: 'no' }))
    expect(logs).toMatch(/"level":40[^\n]*AGENT_DIALECT=auto/)
  },
)

test.concurrent(
  'an endpoint that is silent at the start holds the bot for some seconds, and then it speaks text',
  async (t) => {
    const { logs } = await autoBot(t, () => ({ hang: true }))
    expect(logs).toMatch(/"level":40[^\n]*"dialect":"text","why":"It did not answer within 15 s\./)
  },
)

test.concurrent('the reason why native calls do not work is reported in the operator’s words', async (t) => {
  const { logs } = await autoBot(t, () => ({ status: 400, body: { error: { message: 'no tools here' } } }))
  expect(logs).toContain('It refused the request (status 400): no tools here.')
})

test.concurrent('npm run mcp does not call the model', async (t) => {
  const model = await playModel(t)
  const folder = await temporaryFolder(t)
  const file = join(folder, 'mcp.json')
  const args = [join(process.cwd(), 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')]
  await writeFile(file, JSON.stringify({ mcpServers: { memory: { command: process.execPath, args } } }))
  const env = { AGENT_DIALECT: 'auto', OPENAI_BASE_URL: model.url, MCP_CONFIG: file }
  const { code, stdout } = await runCommand(t, 'src/commands/mcp.ts', { args: ['tools'], env, cwd: folder })
  expect(stdout).toContain('create_entities')
  expect(code).toBe(0)
  expect(model.requests).toEqual([])
})
