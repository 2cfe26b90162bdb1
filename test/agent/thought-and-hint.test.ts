/** The thought of a turn as people see it, and the hint for the model about an unreadable turn. */
import { describe, expect, test } from 'vitest'
import { readBracket } from '../../src/agent/dialects/bracket.ts'
import { readConversational } from '../../src/agent/dialects/conversational.ts'
import { readJson } from '../../src/agent/dialects/json.ts'
import { readSelfAsk } from '../../src/agent/dialects/self-ask.ts'
import { readText } from '../../src/agent/dialects/text.ts'
import type { ParsedTurn } from '../../src/agent/contracts/dialect.ts'
import { lines } from '../fixtures/reader/case.ts'

const tools = ['search', 'Finish']
const step = lines('Action: search', 'Action Input: x')
const blob = '{"action": "search", "action_input": "x"}'

describe('the thought', () => {
  test.each([
    ['is what follows its label', lines('Thought: I should.', step), 'I should.'],
    ['is what the prompt’s label left to the model', lines(' I should.', step), 'I should.'],
    ['may have several lines', lines('Thought: I should.', '', 'And then?', step), 'I should.\n\nAnd then?'],
    ['may come in several parts', lines('Thought: a', 'Thought: b', step), 'a\nb'],
    ['is whole with what stands before its label', lines('Sure!', 'Thought: a', step), 'Sure!\na'],
    ['has no question in it', lines('Question: what?', 'Thought: a', step), 'a'],
    ['has no fence in it', lines('```', 'Thought: a', step, '```'), 'a'],
    ['has no decoration of its label', lines('**Thought:** a', step), 'a'],
    ['has no decoration of its line', lines('**Thought: a**', step), 'a'],
    ['keeps decoration of its own', lines('Thought: a **b**', step), 'a **b**'],
    ['has no thinking in it', lines('<think>no</think>', 'Thought: a', step), 'a'],
    ['may be missing', step, ''],
    ['goes with an answer too', lines('Thought: a', 'Final Answer: b'), 'a'],
    [
      'passes over an action that names nothing',
      lines('Thought: a', 'Action: None', 'Thought: b', 'Final Answer: c'),
      'a\nb',
    ],
    ['ends before labels on its line', 'Thought: a. Action: search Action Input: x', 'a.'],
  ])('%s', (_fact, completion, thought) => {
    expect(readText(completion, tools).thought).toBe(thought)
  })

  test.each([
    ['stands before the blob', lines('Thought: a', 'Action:', '```', blob, '```'), 'a'],
    ['stands before a blob without a label', lines('I will search.', '```json', blob, '```'), 'I will search.'],
    ['stands before a blob in a sentence', `I will search: ${blob}`, 'I will search:'],
    ['is in the blob', '{"thought": "a", "action": "search", "action_input": "x"}', 'a'],
    ['has no tag in it', `a\n<tool_call>${blob}</tool_call>`, 'a'],
    ['has no bracket of a list in it', `a [${blob}]`, 'a'],
  ])('of the json dialect %s', (_fact, completion, thought) => {
    expect(readJson(completion, tools).thought).toBe(thought)
  })

  test('of the bracket dialect is the text before the action', () => {
    expect(readBracket(lines(' I need x.', 'Action 1: search[x]'), tools).thought).toBe('I need x.')
    expect(readBracket('Thought 1: I need x. Action 1: search[x]', tools).thought).toBe('I need x.')
  })

  test('of an unreadable turn is its prose without the JSON', () => {
    expect(readText('I think it is 42.', tools).thought).toBe('I think it is 42.')
    expect(readJson(lines('I will see.', '```json', '{"action": oops}', '```'), tools).thought).toBe('I will see.')
  })
})

describe('the hint about an unreadable turn', () => {
  const unread: [string, ParsedTurn, RegExp][] = [
    ['nothing', readText('', tools), /it is empty/],
    ['an observation first', readText('Observation: x', tools), /begins with what only a tool may say/],
    ['prose', readText('It is 42.', tools), /neither an action nor a final answer.*Action Input/],
    ['no input', readText('Action: search', tools), /no "Action Input:"/],
    ['no tool', readText('Action:', tools), /names no tool/],
    ['a broken input', readText('Action: search\nAction Input: {"a', tools), /breaks off/],
    ['an empty answer', readText('Final Answer:', tools), /answer is empty/],
    ['prose for JSON', readJson('It is 42.', tools), /\{"action": "<tool>", "action_input": <input>\}/],
    ['broken JSON', readJson('{"action": "search', tools), /JSON breaks off/],
    ['no bracket', readBracket('Action: look it up', tools), /not written as Tool\[input\]/],
    ['an unclosed bracket', readBracket('Action: search[x', tools), /not closed/],
    ['no follow-up', readSelfAsk('Hm.'), /Follow up: </],
    ['no reply', readConversational('Thought: hm', tools), /AI: <reply>/],
  ]

  test.each(unread)('says what is wrong with %s and shows the form', (_what, reading, hint) => {
    expect(reading).toMatchObject({ kind: 'unreadable', hint: expect.stringMatching(hint) as unknown })
  })

  test.each(unread)('begins no line with a label that the prompt uses: %s', (_what, reading) => {
    expect(reading.kind === 'unreadable' && reading.hint).not.toMatch(/^\W*(observation|question|thought|action)/im)
  })
})

test('a tool that answers follow-up questions may have another name', () => {
  expect(readSelfAsk('Follow up: x?')).toMatchObject({ actions: [{ tool: 'search', input: 'x?' }] })
})
