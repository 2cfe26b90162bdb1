/** Providers cache the beginning of a request, so each step's request must begin like the one before it. */
import { expect, test } from 'vitest'
import { DIALECTS } from '../../src/agent/dialects/index.ts'
import type { DialectName } from '../../src/config.ts'
import type { RunView } from '../../src/agent/contracts/dialect.ts'
import type { Message, ToolSpec } from '../../src/agent/contracts/model.ts'
import type { Step } from '../../src/agent/contracts/run-events.ts'
import { chatWire } from '../../src/model/chat-completions.ts'
import { responsesWire } from '../../src/model/responses-api.ts'
import type { Wire } from '../../src/model/api-format.ts'
import { dialect, step, tool, view, WIKI } from '../harness/dialect.ts'

const LEARNT = { refused: new Set<string>(), needsReasoning: false }

/** Returns the request as a provider reads it: the tools, then the messages. */
function sent(wire: Wire, request: { messages: Message[]; tools?: ToolSpec[] }): string {
  const options = { model: 'm', stream: true, learnt: LEARNT }
  const body = wire.body({ ...request, signal: new AbortController().signal }, options)
  const { tools, messages, input } = body as { tools?: unknown; messages?: unknown; input?: unknown }
  return JSON.stringify(tools ?? []) + JSON.stringify(messages ?? input)
}

/** Returns the smallest share of a step's request that the next request begins with. */
function sharedOf(name: DialectName, steps: Step[], more: Partial<RunView> = {}): number {
  const wires = [chatWire, responsesWire]
  const shares = wires.flatMap((wire) => {
    const requests = Array.from({ length: steps.length + 1 }, (_, n) =>
      sent(wire, dialect(name).render(view({ ...more, steps: steps.slice(0, n) }))),
    )
    return requests.slice(1).map((next, i) => commonLength(requests[i]!, next) / requests[i]!.length)
  })
  return Math.min(...shares)
}

function commonLength(one: string, other: string): number {
  const at = Array.from(one).findIndex((char, i) => char !== other[i])
  return at < 0 ? one.length : at
}

const kept = { model: 'm', fields: { reasoning_content: 'Hm.' } }

test.for(Object.keys(DIALECTS) as DialectName[])(
  '%s: at least 90 % of a request is the beginning of the next',
  (name) => {
    const steps = [step(1, { reasoning: 'Hm.', kept }), step(2), step(3), step(4)]
    expect(sharedOf(name, steps)).toBeGreaterThanOrEqual(0.9)
  },
)

test('native: also if tool details arrive later', () => {
  const files = Array.from({ length: 60 }, (_, i) => ({ ...tool(`files__tool_${i}`), brief: `Does thing ${i}.` }))
  const asked = (n: number) => step(n, { action: { tool: 'tool_details', input: { tool: `files__tool_${n}` } } })
  const used = (n: number) => step(n + 1, { action: { tool: `files__tool_${n}`, input: { query: 'x' } } })
  const tools = [...WIKI, ...files, tool('tool_details')]
  const steps = [asked(1), used(1), asked(3), used(3)]
  expect(sharedOf('native', steps, { tools })).toBeGreaterThanOrEqual(0.9)

  const { messages, tools: listed = [] } = dialect('native').render(view({ tools, steps }))
  expect(listed.map((one) => one.name)).toEqual(['wikipedia', 'wikipedia_lookup', 'tool_details', 'call_tool'])
  const written = { name: 'call_tool', arguments: '{"tool":"files__tool_1","input":{"query":"x"}}' }
  expect(messages.flatMap((message) => message.toolCalls ?? [])[1]).toMatchObject(written)
  const call = { text: '', toolCalls: [{ id: 'c', ...written }] }
  const names = tools.map((one) => one.name)
  expect(dialect('native').read(call, tools)).toEqual({
    kind: 'actions',
    thought: '',
    actions: [{ tool: names[3], input: { query: 'x' }, callId: 'c' }],
  })
})

test.for(Object.keys(DIALECTS) as DialectName[])(
  '%s: another question, with another thread and other files, begins with the same instructions and tools',
  (name) => {
    const first = view({ question: 'Who is it?', steps: [], nonce: '111111', said: '@Ann: Hello.' })
    const other = view({
      question: 'When was that?',
      steps: [],
      nonce: '222222',
      filesText: 'A file.',
      remembered: 'B.',
    })
    const [one, two] = [first, other].map((each) => sent(chatWire, dialect(name).render(each)))
    expect(one!.length - commonLength(one!, two!)).toBeLessThan(500)
  },
)
