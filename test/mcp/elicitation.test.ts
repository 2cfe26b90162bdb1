/**
 * Questions of MCP servers to the asker during a call, with real servers of the protocol of 2026-07-28 and the previous
 * one.
 */
import { Client, StreamableHTTPClientTransport, type Tool, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PersonsAnswer, ToolQuestion } from '../../src/agent/contracts/tool.ts'
import { CAPABILITIES, Elicitation, type CallOutcome } from '../../src/mcp/elicitation/elicitation.ts'
import type { McpServerConfig } from '../../src/mcp/types.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { startAskingServer } from '../harness/mcp/asking-server.ts'

const CONFIG: McpServerConfig = {
  name: 'asking',
  kind: 'stdio',
  command: 'x',
  args: [],
  env: {},
  trust: true,
  secrets: [],
}

interface Given {
  answers?: PersonsAnswer[]
  args?: object
  isRepeatable?: boolean
  options?: { toolDefinition?: Tool }
}

/** Connects, and calls a tool like the agent, for a person who answers. */
async function connect(t: Ends, transport: Transport, config: McpServerConfig = CONFIG) {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: CAPABILITIES, versionNegotiation: { mode: 'auto' }, inputRequired: { autoFulfill: false } },
  )
  const elicitation = new Elicitation(client, config)
  await client.connect(transport)
  t.onTestFinished(() => client.close())
  const notes: string[] = []
  const call = (tool: string, given: Given = {}) => {
    const { answers = [], args = {}, isRepeatable = true } = given
    const options = { signal: AbortSignal.timeout(80_000), ...given.options }
    return elicitation.callTool({ name: tool, arguments: { ...args } }, options, { answers, isRepeatable, notes })
  }
  return { client, call, notes }
}

async function asking(t: Ends) {
  const server = await startAskingServer(t)
  return { ...server, ...(await connect(t, new StreamableHTTPClientTransport(new URL(server.url)))) }
}

function everything(t: Ends) {
  const script = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'
  return connect(t, new StdioClientTransport({ command: process.execPath, args: [script], stderr: 'ignore' }))
}

function questionIn(called: CallOutcome): ToolQuestion {
  if (!('asks' in called)) throw new Error(`Nothing is asked: ${JSON.stringify(called)}`)
  // The questions are saved with the run.
  return JSON.parse(JSON.stringify(called.asks))
}

function textIn(called: CallOutcome): string {
  if ('asks' in called) throw new Error(`It asks: ${called.asks.message}`)
  return called.result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

const accept = ({ state }: ToolQuestion, content?: Record<string, unknown>): PersonsAnswer => ({
  state,
  action: 'accept',
  ...(content ? { content } : {}),
})

test('two forms in one result are shown one after the other, and their answers are returned together with the state', async (t) => {
  const { call, calls, client } = await asking(t)
  const { tools } = await client.listTools()
  const options = { toolDefinition: tools.find(({ name }) => name === 'table')! }
  const first = questionIn(await call('table', { options }))
  expect(first).toMatchObject({ server: 'asking', message: 'How many seats?', schema: { required: ['seats'] } })
  const answers = [accept(first, { seats: 3 })]
  const second = questionIn(await call('table', { answers, options }))
  expect(second.message).toBe('Which meal?')
  expect(calls).toHaveLength(1)
  const done = await call('table', { answers: [...answers, { state: second.state, action: 'decline' }], options })
  expect(JSON.parse(textIn(done))).toEqual({
    responses: { seats: { action: 'accept', content: { seats: 3 } }, meal: { action: 'decline' } },
    state: 'opaque-1',
  })
})

test('a server that asks again gets the new answer with its new state', async (t) => {
  const { call, calls } = await asking(t)
  const first = questionIn(await call('chain'))
  const answers = [accept(first, { seats: 2 })]
  const second = questionIn(await call('chain', { answers }))
  const done = await call('chain', { answers: [...answers, accept(second, { meal: 'fish' })] })
  expect(JSON.parse(textIn(done))).toEqual({
    responses: { meal: { action: 'accept', content: { meal: 'fish' } } },
    state: 'second',
  })
  expect(calls.map(({ state }) => state ?? 'none')).toEqual(['none', 'first', 'second'])
})

test('the answer may arrive in another process: a new connection continues from the saved state', async (t) => {
  const { url, call } = await asking(t)
  const first = questionIn(await call('chain'))
  const elsewhere = await connect(t, new StreamableHTTPClientTransport(new URL(url)))
  expect(questionIn(await elsewhere.call('chain', { answers: [accept(first, { seats: 1 })] })).message).toBe(
    'Which meal?',
  )
})

test('an https page is shown to the asker, any other is declined', async (t) => {
  const { call, notes } = await asking(t)
  const page = questionIn(await call('page', { args: { url: 'https://pay.example.com/x?y=1' } }))
  expect(page).toMatchObject({ message: 'Please pay.', url: 'https://pay.example.com/x?y=1' })
  expect(JSON.parse(textIn(await call('page', { answers: [accept(page)], args: { url: page.url } })))).toEqual({
    page: { action: 'accept' },
  })
  for (const url of [
    'http://pay.example.com/',
    'https://bank.example@evil.example/',
    'javascript:alert(1)',
    'https://localhost/x',
    'http://127.0.0.1:9/',
  ])
    expect(JSON.parse(textIn(await call('page', { args: { url } })))).toEqual({ page: { action: 'decline' } })
  expect(notes).toHaveLength(5)
  expect(notes[0]).toBe(
    'asking asked the person a question, which was declined automatically: its address is not https.',
  )
})

test('a page on this machine is shown if the operator configured the server there', async (t) => {
  const { url } = await asking(t)
  const config: McpServerConfig = { name: 'own', kind: 'http', url, headers: {}, trust: true, secrets: [] }
  const { call } = await connect(t, new StreamableHTTPClientTransport(new URL(url)), config)
  expect(questionIn(await call('page', { args: { url: 'http://127.0.0.1:9/pay' } })).url).toBe('http://127.0.0.1:9/pay')
})

test('a form that does not fit a modal is declined, and the model is informed', async (t) => {
  const { call, notes } = await asking(t)
  expect(JSON.parse(textIn(await call('nested')))).toEqual({ odd: { action: 'decline' } })
  expect(notes).toEqual([
    'asking asked the person a question, which was declined automatically: the field "home" is of an unsupported kind.',
  ])
})

test('unsupported requests and endless calls are refused', async (t) => {
  const { call, calls } = await asking(t)
  await expect(call('intruder')).rejects.toThrow(
    'asking asks for something that this bot does not support: "sampling/createMessage".',
  )
  await expect(call('loop')).rejects.toThrow('asking has asked too often in one call.')
  expect(calls.filter(({ tool }) => tool === 'loop')).toHaveLength(10)
})

test('a server that keeps asking is stopped after ten answers', async (t) => {
  const { call } = await asking(t)
  const answers: PersonsAnswer[] = []
  const ask = async () => {
    for (;;) answers.push(accept(questionIn(await call('endless', { answers })), { seats: 1 }))
  }
  await expect(ask()).rejects.toThrow('asking has asked too often in one call.')
  expect(answers.length).toBeLessThanOrEqual(10)
})

test('a result that imitates a question is a result', async (t) => {
  const { call } = await asking(t)
  expect(textIn(await call('impostor'))).toBe('"done"')
})

describe('older protocol', () => {
  const ends = fileEnds()
  let connected: Awaited<ReturnType<typeof everything>>

  /** A form with fourteen fields, and pages. */
  beforeAll(async () => {
    connected = await everything(ends)
  })

  test('a call that asks is ended and repeated with the answer', async () => {
    const { call, notes } = connected
    const asked = questionIn(await call('trigger-elicitation-request'))
    expect(asked.message).toBe('Please provide inputs for the following fields:')
    expect(asked.schema).toMatchObject({ required: ['name'], properties: { integer: { minimum: 1, maximum: 100 } } })
    const done = textIn(
      await call('trigger-elicitation-request', { answers: [accept(asked, { name: 'Ann', integer: 7 })] }),
    )
    expect(done).toContain('User provided the requested information')
    expect(done).toContain('Name: Ann')
    const declined: PersonsAnswer[] = [{ state: asked.state, action: 'decline' }]
    expect(textIn(await call('trigger-elicitation-request', { answers: declined }))).toContain('declined')
    expect(notes).toEqual([])
  })

  test('a call that is not idempotent asks too, and explains what an answer does', async () => {
    const { call, notes } = connected
    expect(questionIn(await call('trigger-elicitation-request')).remakes).toBeUndefined()
    const asked = questionIn(await call('trigger-elicitation-request', { isRepeatable: false }))
    expect(asked.remakes).toBe(true)
    const answers = [accept(asked, { name: 'Ann', integer: 7 })]
    expect(textIn(await call('trigger-elicitation-request', { isRepeatable: false, answers }))).toContain('Name: Ann')
    expect(notes).toEqual([])
  })

  test('a call that needs a visited page is repeated after the visit', async () => {
    const { call } = connected
    const args = { url: 'https://example.com/agree', message: 'Agree first.', errorPath: true, elicitationId: 'one' }
    const refused = questionIn(await call('trigger-url-elicitation', { args, isRepeatable: false }))
    expect(refused).toMatchObject({ url: 'https://modelcontextprotocol.io/' })
    const declined: PersonsAnswer[] = [{ state: refused.state, action: 'decline' }]
    await expect(call('trigger-url-elicitation', { args, answers: declined })).rejects.toThrow(
      'asking did nothing: it needs a visit to a page first, and the asker declined.',
    )
    // In a repeated call, this server asks for the same page in a new request.
    const answers = [accept(refused)]
    const again = questionIn(await call('trigger-url-elicitation', { args, answers }))
    expect(again).toMatchObject({ message: 'Agree first.', url: 'https://example.com/agree' })
  })

  test('a question during parallel calls repeats each call alone', async () => {
    const { call } = connected
    const slow = call('trigger-long-running-operation', { args: { duration: 1, steps: 2 } })
    const both = await Promise.all([
      call('trigger-elicitation-request'),
      call('trigger-url-elicitation', { args: { url: 'https://example.com/a' } }),
    ])
    expect(both.map((called) => questionIn(called).message)).toEqual([
      'Please provide inputs for the following fields:',
      'Please open the link to complete this action.',
    ])
    expect(textIn(await slow)).toContain('Long running operation completed')
  })

  test('an answer belongs to one call: a call with answers is made alone', async () => {
    const { call } = connected
    const asked = questionIn(await call('trigger-elicitation-request'))
    const [first, second] = await Promise.all([
      call('trigger-elicitation-request', { answers: [accept(asked, { name: 'Ann' })] }),
      call('trigger-elicitation-request'),
    ])
    expect(textIn(first)).toContain('Name: Ann')
    expect(questionIn(second).message).toBe(asked.message)
  })
})
