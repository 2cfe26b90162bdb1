import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../src/question/agent/create-agent.ts'
import { loadConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/base/log.ts'
import { coerceInput } from '../../../src/agent/tool-input.ts'
import type { Tool } from '../../../src/agent/contracts/tool.ts'
import { dialect, prompt, read, step, tool, view, WIKI } from '../../harness/dialect.ts'
import { zodInput } from '../../../src/agent/tool-input.ts'

describe('text', () => {
  test('teaches Thought, Action, Action Input, Observation and Final Answer, and lists the tools', () => {
    const text = prompt('text')
    for (const label of ['Question:', 'Thought:', 'Action:', 'Action Input:', 'Observation:', 'Final Answer:'])
      expect(text).toContain(`\n${label}`)
    expect(text).toContain('wikipedia: What wikipedia does.\nwikipedia_lookup: What wikipedia_lookup does.\n')
    expect(text).toContain('[wikipedia, wikipedia_lookup]')
    expect(text.endsWith('user: Question: Who?: ""')).toBe(true)
  })

  test('a tool with several fields is listed with their JSON schema', () => {
    const both = { ...tool('weather'), ...zodInput(z.object({ city: z.string(), days: z.number() })) }
    expect(prompt('text', { tools: [both] })).toContain(
      'The input is a JSON object: {"city":{"type":"string"},"days":{"type":"number"}}',
    )
  })
})

describe('json', () => {
  test('shows earlier steps in the wording of “How ReAct Prompting Works”, each action as a JSON blob', () => {
    const text = prompt('json', { steps: [step(1)] })
    expect(text).toContain(
      'Who?\n\nThis was your previous work (but I haven\'t seen any of it! I only see what you return as final answer):: ""\nassistant: Thought: I think 1.\nAction:\n```\n{\n  "action": "wikipedia",\n  "action_input": "entity 1"\n}\n```: ""\nuser: Observation: ',
    )
    expect(prompt('json')).not.toContain('previous work')
  })

  test('reads one blob, whose input is a text or an object', () => {
    expect(
      read('json', 'Thought: hm\nAction:\n```\n{"action": "wikipedia", "action_input": {"query": "x", "n": 2}}\n```'),
    ).toEqual({
      kind: 'actions',
      thought: 'hm',
      actions: [{ tool: 'wikipedia', input: { query: 'x', n: 2 } }],
    })
    expect(read('json', '{"action": "Final Answer", "action_input": "42"}')).toMatchObject({
      kind: 'finish',
      answer: '42',
    })
  })
})

describe.each(['json', 'text'] as const)('JSON in quotes as the input of the %s dialect', (name) => {
  const given = (input: string, tools: Tool[]) => {
    const reading = read(name, JSON.stringify({ action: tools[0]?.name, action_input: input }), tools)
    const action = reading.kind === 'actions' ? reading.actions[0] : undefined
    return { input: action?.input, taken: coerceInput(tools[0]!, action?.input) }
  }

  test('stays a text for a tool that takes one text', () => {
    const text = '{"a":1,"b":2}'
    expect(given(text, WIKI)).toEqual({ input: text, taken: { ok: true, value: { query: text } } })
  })

  test('is an object for a tool that takes one', () => {
    expect(given('{"query":"x"}', WIKI)).toEqual({ input: { query: 'x' }, taken: { ok: true, value: { query: 'x' } } })
    const weather = { ...tool('weather'), ...zodInput(z.object({ city: z.string(), days: z.number() })) }
    const fields = { city: 'Paris', days: 2 }
    expect(given(JSON.stringify(fields), [weather])).toEqual({ input: fields, taken: { ok: true, value: fields } })
  })
})

describe('docstore', () => {
  test('names the tools Search and Lookup, and numbers the steps', () => {
    const steps = [step(1), step(2, { action: { tool: 'wikipedia_lookup', input: 'born' } })]
    const text = prompt('docstore', { steps })
    expect(text).toContain('Question: Who?\nThought 1: I think 1.\nAction 1: Search[entity 1]\nObservation 1: <')
    expect(text).toContain('Thought 2: I think 2.\nAction 2: Lookup[born]\nObservation 2: <')
    expect(text).toContain('>\nThought 3:')
    expect(text).not.toContain('wikipedia')
  })

  test('has six worked examples that end in an answer', () => {
    const [system] = dialect('docstore').render(view()).messages
    expect(system?.content.match(/^Question: /gm)).toHaveLength(6)
    expect(system?.content.match(/^Action \d: Finish\[/gm)).toHaveLength(6)
  })

  test.each([
    [' I look.\nAction 1: Search[Ada Lovelace]', 'wikipedia', 'Ada Lovelace'],
    [' I look.\nAction 2: Lookup[born]', 'wikipedia_lookup', 'born'],
    [' I look.\nAction: search[C[n] and D]', 'wikipedia', 'C[n] and D'],
  ])('reads %j', (text, name, input) => {
    expect(read('docstore', text)).toEqual({ kind: 'actions', thought: 'I look.', actions: [{ tool: name, input }] })
  })

  test('reads Finish, and explains the form if it is missing', () => {
    expect(read('docstore', ' So.\nAction 3: Finish[the Atlantic Ocean]')).toMatchObject({
      kind: 'finish',
      answer: 'the Atlantic Ocean',
    })
    expect(read('docstore', ' I am lost.')).toMatchObject({
      kind: 'unreadable',
      hint: expect.stringContaining('Finish['),
    })
  })

  test.each(['calculator', 'calculator,duckduckgo'])(
    'without wikipedia in TOOLS (%s) ends the start with a sentence',
    async (TOOLS) => {
      const config = loadConfig({ AGENT_DIALECT: 'docstore', TOOLS })
      await expect(
        createAgent(config, { log: createLog('silent'), net: {}, now: () => new Date() }),
      ).rejects.toMatchObject({
        name: 'ConfigError',
        message: 'TOOLS lacks wikipedia, which AGENT_DIALECT=docstore needs. Add it.',
      })
    },
  )
})

describe('bracket', () => {
  test('lists custom tools with their examples', () => {
    const text = dialect('bracket', 'Question: mine\nAction: GetInvoice[A]').render(
      view({ tools: [tool('GetInvoice')] }),
    ).messages[0]
    expect(text?.content).toContain('GetInvoice[input]: What GetInvoice does.\n')
    expect(text?.content.endsWith('Question: mine\nAction: GetInvoice[A]')).toBe(true)
  })

  test('does not number steps, and reads calls of custom tools', () => {
    const text = prompt('bracket', { steps: [step(1)] })
    expect(text).toContain('Thought: I think 1.\nAction: wikipedia[entity 1]\nObservation: <')
    expect(read('bracket', ' Sum.\nAction : Total[1 2]', [tool('Total')])).toMatchObject({
      actions: [{ tool: 'Total', input: '1 2' }],
    })
  })
})

describe('self-ask', () => {
  test('shows follow-up questions and intermediate answers', () => {
    const text = prompt('self-ask', { steps: [step(1), step(2)] })
    expect(text).toContain(
      'Question: Who?\nAre follow up questions needed here: Yes.\nFollow up: entity 1\nIntermediate answer: <f00d42>page 1</f00d42>\nFollow up: entity 2\nIntermediate answer: <',
    )
    expect(prompt('self-ask')).toContain('Question: Who?\nAre follow up questions needed here:')
  })

  test.each([
    [['calculator', 'wikipedia', 'duckduckgo', 'search'], 'search'],
    [['calculator', 'wikipedia', 'duckduckgo'], 'duckduckgo'],
    [['calculator', 'wikipedia'], 'wikipedia'],
    [['my_index', 'calculator'], 'my_index'],
  ])('of %j it asks %s', (names, asked) => {
    const reading = read('self-ask', ' Yes.\nFollow up: Who wrote it?\n', names.map(tool))
    expect(reading).toMatchObject({ kind: 'actions', actions: [{ tool: asked, input: 'Who wrote it?' }] })
  })

  test('reads the final answer, and cuts the text before an invented intermediate answer', () => {
    expect(read('self-ask', 'So the final answer is: Canada')).toMatchObject({ kind: 'finish', answer: 'Canada' })
    expect(dialect('self-ask').beginsObservation('Intermediate answer: ')).toBe(true)
    expect(dialect('self-ask').stop).toEqual(['\nIntermediate answer:'])
  })
})

describe('conversational', () => {
  const history = [
    { question: 'My name is Ada.', answer: 'Hello Ada.' },
    { question: 'And my age?', answer: `${'long '.repeat(1000)}end` },
  ]

  test('contains the history, with long answers shortened', () => {
    const text = prompt('conversational', { history })
    expect(text).toContain(
      'The conversation so far:\nHuman: My name is Ada.\nAI: Hello Ada.\nHuman: And my age?\nAI: long ',
    )
    expect(text).toMatch(
      /characters cut\) …\n.*end\n\nNew message:\nQuestion: Who\?\nThought: Do I need to use a tool\?/s,
    )
    expect(text.length).toBeLessThan(4000)
    expect(prompt('conversational')).not.toContain('The conversation so far')
  })

  test('may answer without a tool', () => {
    expect(read('conversational', ' No\nAI: Your name is Ada.')).toMatchObject({
      kind: 'finish',
      answer: 'Your name is Ada.',
    })
    expect(read('conversational', ' Yes\nAction: wikipedia\nAction Input: Ada')).toMatchObject({ kind: 'actions' })
    expect(dialect('conversational').carriesHistory).toBe(true)
  })
})
