/**
 * Answers stream while the model writes them. The streamed text is always a prefix of the answer in the whole
 * completion.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AnswerDeltas } from '../../src/agent/parser/answer-deltas.ts'
import { ObservationCut } from '../../src/agent/parser/observation-cut.ts'
import type { DialectName } from '../../src/config.ts'
import type { ParsedTurn } from '../../src/agent/contracts/dialect.ts'
import * as bracket from '../fixtures/reader/bracket.ts'
import { TOOLS, type Case } from '../fixtures/reader/case.ts'
import * as json from '../fixtures/reader/json.ts'
import * as labelStyles from '../fixtures/reader/label-styles.ts'
import * as leaked from '../fixtures/reader/leaked.ts'
import { conversational, selfAsk } from '../fixtures/reader/others.ts'
import * as reasoning from '../fixtures/reader/reasoning.ts'
import * as text from '../fixtures/reader/text.ts'
import { runOn } from '../harness/agent-run.ts'
import { cpuSeconds } from '../harness/cpu-clock.ts'
import { dialect, tool } from '../harness/dialect.ts'
import { finish } from '../harness/played-model.ts'
import { propertyRuns } from '../harness/property-runs.ts'

const { PAPER, ...bracketShapes } = bracket
const SENTENCE = 'The lighthouse keeper counted every ship that passed the cape. '
const LONG =
  `${SENTENCE.repeat(6)}\n\n- one\n- two [1](https://a.example)\n\n\`\`\`js\nconst a = 1\n\`\`\`\n\n${SENTENCE}`.trim()

/** Streams a completion in pieces of these lengths (repeated). Returns the streamed text and the parsed answer. */
function follow(name: DialectName, completion: string, { lengths = [7], tools = TOOLS } = {}) {
  const spoken = dialect(name)
  const mine = tools.map(tool)
  const cut = new ObservationCut((line) => spoken.beginsObservation(line))
  const along = new AnswerDeltas(spoken, mine)
  const deltas: string[] = []
  for (let at = 0, i = 0; at < completion.length; i++) {
    const piece = completion.slice(at, at + (lengths[i % lengths.length] ?? 1))
    at += piece.length
    if (cut.push(piece)) break
    deltas.push(along.push(piece, cut))
  }
  const reading: ParsedTurn = spoken.read({ text: cut.text }, mine)
  return { told: deltas.join(''), answer: reading.kind === 'finish' ? reading.answer : undefined }
}

describe.each<[DialectName, Record<string, Case[]>, string[]]>([
  ['text', { ...text, ...reasoning, ...leaked, ...labelStyles }, TOOLS],
  ['json', { ...json, harmony: reasoning.harmony, unread: leaked.unread }, TOOLS],
  ['bracket', bracketShapes, PAPER],
  ['conversational', { conversational }, TOOLS],
  ['self-ask', { selfAsk }, TOOLS],
])('%s: of every shape that is read', (name, groups, usual) => {
  test.each(Object.entries(groups))(
    '%s: what is told is a beginning of the answer, and nothing else is',
    (_, cases) => {
      const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 })
      for (const { name: shape, completion, tools = usual } of cases)
        fc.assert(
          fc.property(lengths, (cuts) => {
            const { told, answer = '' } = follow(name, completion, { lengths: cuts, tools })
            expect(answer.startsWith(told), `${shape}: ${told}`).toBe(true)
          }),
          { numRuns: propertyRuns({ test: 2, chaos: 8 }) },
        )
    },
  )
})

describe('an ordinary answer is streamed almost completely', () => {
  test.each<[DialectName, string]>([
    ['text', ` I now know it.\nFinal Answer: ${LONG}`],
    ['text', `<think>Final Answer: wrong</think>\nThought: done\nFinal Answer: ${LONG}`],
    ['text', `**Thought:** done\n**Final Answer:** ${LONG}`],
    ['conversational', `Do I need to use a tool? No\nAI: ${LONG}`],
    ['self-ask', `No.\nSo the final answer is: ${LONG}`],
    ['json', `\`\`\`json\n${JSON.stringify({ action: 'Final Answer', action_input: LONG }, null, 2)}\n\`\`\``],
    ['json', `I know.\nFinal Answer: ${LONG}`],
    ['bracket', `I know.\nAction: Finish[${SENTENCE.repeat(3).trim()}]`],
    ['native', LONG],
    ['native', `${LONG}\n\n\`\`\`json\n{\n  "name": "my-app",\n  "version": "1.0.0"\n}\n\`\`\`\n\n${LONG}`],
    ['native', `${LONG}\n\nThe event is { "action": "opened" } of functions.https.onCall().\n\n${LONG}`],
    ['native', `${LONG}\n\nWrite &lt;b&gt; for bold.\n\n${LONG}`],
  ])('%s: %s', (name, completion) => {
    const { told, answer = '' } = follow(name, completion)
    expect(answer.startsWith(told)).toBe(true)
    expect(told.length).toBeGreaterThan(answer.length - 100)
  })
})

describe('nothing is streamed of', () => {
  test.each<[string, DialectName, string]>([
    ['an action', 'text', `I look.\nAction: search\nAction Input: Final Answer: ${LONG}`],
    ['what follows an action', 'text', `I look.\nAction: search\nAction Input: x\nFinal Answer: ${LONG}`],
    ['what follows an invented observation', 'text', `I look.\nObservation: it is\nFinal Answer: ${LONG}`],
    ['a call in JSON', 'json', `{"action": "search", "action_input": "${SENTENCE.repeat(5)}"}`],
    ['a thought', 'text', `Thought: ${LONG}`],
    ['words before a native call', 'native', `Let me look that up for you. ${SENTENCE.repeat(2)}`],
    [
      'a call that a model wrote into its text',
      'native',
      `{"name": "search", "arguments": {"query": "${SENTENCE.repeat(9)}"}}`,
    ],
  ])('%s', (_, name, completion) => {
    expect(follow(name, completion).told).toBe('')
  })
})

describe('of a call behind a long text, native streams only the text', () => {
  test.each([
    '{"name": "search", "arguments": {"query": "secret"}}',
    '```json\n{"name": "search", "parameters": {"query": "secret"}}\n```',
    '{"role": "assistant", "tool_calls": [{"function": {"name": "search", "arguments": "secret"}}]}',
    '> {"arguments": {"query": "secret"}, "name": "search"}',
    'functions.search:0{"query": "secret"}',
    '{"name": "search", "input": "secret"}',
    'search\n<arg_key>query</arg_key>\n<arg_value>secret</arg_value>',
    'search[ARGS]{"query": "secret"}',
    '&lt;invoke name="search"&gt;secret',
    '\\u003ctool_call\\u003e{"name": "search", "arguments": {"query": "secret"}}',
  ])('%s', (call) => {
    for (const lengths of [[1], [7, 2], [60]])
      expect(follow('native', `${LONG}\n${call}`, { lengths }).told).toMatch(/^(?!.*secret)The lighthouse/s)
  })
})

test('a mark of reasoning that arrives in pieces inside an answer is not streamed', () => {
  for (const lengths of [[1], [2], [3, 5]])
    for (const [open, close] of [
      ['<think>', '</think>'],
      ['<reasoning>', '</reasoning>'],
      ['[THINK]', '[/THINK]'],
    ]) {
      const { told, answer = '' } = follow('native', `${LONG}\n${open}hm${close}\n\nThat is all.`, { lengths })
      expect(answer.startsWith(told.trimEnd()), told.slice(-20)).toBe(true)
    }
})

test('text after an answer is not streamed: another thought, a question, a special token', () => {
  for (const end of [
    '\nThought: and now',
    '\nQuestion: next?\nThought: hm',
    '<|im_end|>\nuser: hi',
    '\nObservation: x',
  ])
    expect(follow('text', `Final Answer: ${SENTENCE}${end}`, { lengths: [3] }).told.trim()).toBe(SENTENCE.trim())
})

test('following an answer takes about linear time for any text', () => {
  const all = ['[', '<', '\n', '```\n', '`', ' ', '\r', '\\', '"', ']', '\n>', 'Thought', '<think>', 'x\n', '字']
  const units = all.slice(0, propertyRuns({ test: 5, chaos: all.length }))
  const leads: [DialectName, string][] = [
    ['text', ''],
    ['text', 'Final Answer: '],
    ['bracket', 'Action: Finish['],
    ['json', '{"action": "Final Answer", "action_input": "'],
    ['native', SENTENCE],
  ]
  for (const [name, lead] of leads)
    for (const unit of units) {
      const text = lead + unit.repeat(30_000 / unit.length)
      const seconds = cpuSeconds(() => follow(name, text, { lengths: [5] }), 0.25)
      expect(seconds, `${name} ${lead} ${JSON.stringify(unit)}`).toBeLessThan(0.25)
    }
})

describe('a run', () => {
  test('streams its answer only if somebody reads along', async (t) => {
    const model = [{ text: finish(LONG), chunkChars: 9, chunkMs: 3 }]
    const quiet = await runOn(t, { model })
    expect(quiet.events.map(({ type }) => type)).toEqual(['usage', 'answer'])
    const { events } = await runOn(t, { model, readAlong: (spoken, tools) => new AnswerDeltas(spoken, tools) })
    const told = events.flatMap((event) => (event.type === 'answer_delta' ? [event.text] : []))
    expect(told.length).toBeGreaterThan(10)
    expect(LONG.startsWith(told.join(''))).toBe(true)
    expect(events.at(-1)).toMatchObject({ type: 'answer', text: LONG })
  })

  test('withdraws the streamed text of a call that broke off', async (t) => {
    const model = [{ text: finish(`Wrong. ${LONG}`), chunkChars: 9, chunkMs: 3, cutAfter: 300 }, finish(LONG)]
    const { events } = await runOn(t, { model, readAlong: (spoken, tools) => new AnswerDeltas(spoken, tools) })
    const types = events.map(({ type }) => type)
    expect(types.indexOf('answer_withdrawn')).toBeGreaterThan(types.indexOf('answer_delta'))
    const since = events.slice(types.lastIndexOf('answer_withdrawn'))
    const told = since.flatMap((event) => (event.type === 'answer_delta' ? [event.text] : [])).join('')
    expect(LONG.startsWith(told)).toBe(true)
  })
})
