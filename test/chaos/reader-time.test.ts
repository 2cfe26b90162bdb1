/** Readers take linear time on hostile text: sixteen times the length takes about sixteen times as long. */
import { describe, expect, test } from 'vitest'
import { addressesIn } from '../../src/agent/address-keys.ts'
import { plainProse } from '../../src/agent/partial-answer.ts'
import { defuseLabels, fenceObservation } from '../../src/agent/observation.ts'
import { readBracket } from '../../src/agent/dialects/bracket.ts'
import { readConversational } from '../../src/agent/dialects/conversational.ts'
import { readJson } from '../../src/agent/dialects/json.ts'
import { readSelfAsk } from '../../src/agent/dialects/self-ask.ts'
import { readText } from '../../src/agent/dialects/text.ts'
import { cpuSeconds } from '../harness/cpu-clock.ts'
import { readWritten } from '../../src/agent/parser/written-calls.ts'
import { beginsObservation, cutWhole, withoutThinking } from '../../src/agent/parser/observation-cut.ts'

/** The CPU seconds for reading a megabyte. Some tens of ms are usual. */
const BOUND = 2
/** The CPU seconds that a garbage collection or compilation may take. */
const PAUSE = 0.03

/** Units from the facts, and others on which regular expressions are often slow. */
const WORST = [
  '[',
  '{',
  '"',
  "'",
  '`',
  '\n',
  'Action:',
  'Action:\n',
  'Thought: ',
  '```json\n',
  '<think>',
  'search[',
  '"\'`[{',
  ' ',
  ' \n',
  '<answer>',
  '<function=search>',
  '[search(a=1), ',
]

const UNITS = [
  ...[...WORST, '#\n', '\\', '\u200b', '\r', '```\n', '<think></think>', '</think>', '<|im_end|>.', '</s>', '\ud83d'],
  ...[
    'Action: None\n',
    'Action: search[\n',
    '行动：\n',
    'Final Answer: a\nQuestion:\n',
    '. Final Answer: ',
    'Observation',
  ],
  ...['Action: search Action Input: ', 'Follow up:\n', '**Action**\nx\n', '](', '"#', '{/*', '{"action":"x"}\n'],
  ...['{"a":"', '{"a":"{"b":', '{"a":"["b "}\n'],
  ...[
    '[THINK]',
    '<|channel|>',
    '- Action: x\n',
    '🔧 Action: ',
    '<b>Action:</b> ',
    '[Action] ',
    'Action - x\n',
    '<action>',
  ],
  ...[
    '<invoke name="search">',
    '<tool_call>search\n',
    '[TOOL_CALLS]search',
    'to=search ',
    '>>>search\n',
    'search(a="',
    '字',
  ],
  ...['http://a.b/&amp;', 'http://a.b/) ', '&amp;', ')'],
]

const TOOLS = ['search', 'Finish']

const READERS: Record<string, (text: string) => unknown> = {
  readText: (text) => readText(text, TOOLS),
  'readText without tools': (text) => readText(text, []),
  readJson: (text) => readJson(text, TOOLS),
  readBracket: (text) => readBracket(text, TOOLS),
  readConversational: (text) => readConversational(text, TOOLS),
  readSelfAsk,
  readWritten: (text) => readWritten(text, TOOLS),
  cutOf,
  withoutThinking,
  beginsObservation,
  defuseLabels,
  addressesIn,
  fenceObservation: (text) => fenceObservation(text, 'f00d11'),
  plainProse: (text) => plainProse(text, { tools: ['search'], beginsObservation }),
}

/** The text before the repeated unit. */
const LEADS: Record<string, string> = {
  'a turn': '',
  'an input': 'Action: search\nAction Input: ',
  'an answer': 'Final Answer: ',
  'a call': 'Action: search[',
  'a JSON input': '{"action": "search", "action_input": "',
  'an object without quotes': '{action: search, action_input: ',
  'a fence': '```\nAction: ',
  'a fence that a comment closes': 'Action: search\nAction Input:\n```\n{"a": 1}\n```',
  'an address': 'http://a.b/&',
}

const SHORT = 1_000

describe.each(Object.entries(LEADS))('linear time: %s', (_what, lead) => {
  test.each(UNITS)('of repeated %j', (unit) => {
    isLinear((length) => lead + unit.repeat(Math.ceil(length / unit.length)))
  })
})

test('linear time: blanks before a character, and closed brackets', () => {
  const fence = 'Action: search\nAction Input:\n```\n{"a": 1}\n```'
  for (const lead of ['', '`', 'Thought: ', '{"a": 1}', 'Action: search\n', fence, `${fence} note`])
    for (const end of ['x', '\nx']) isLinear((length) => `${lead}${' '.repeat(length)}${end}`)
  isLinear((length) => '['.repeat(length / 2) + ']'.repeat(length / 2))
})

test('linear time: an address with signs behind it, each of which may be a part of it', () => {
  for (const signs of ['amp;', ')', 'amp;)', 'amp;&'])
    for (const count of [12, 300])
      expect(
        cpuSeconds(() => addressesIn(`http://a.b/&${signs.repeat(count)}${')'.repeat(count)}`), PAUSE),
      ).toBeLessThan(PAUSE)
})

test.each(WORST)('a megabyte of %j is read within the time limit', (unit) => {
  const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
  for (const [name, read] of Object.entries(READERS))
    expect(
      cpuSeconds(() => read(text), BOUND),
      name,
    ).toBeLessThan(BOUND)
})

// A model writes at most 100,000 characters in a turn.
test.each(['foo[bar]\n', 'search(a=1)\n', '{"name": "x"}\n', 'mcp_x[a]\n', 'Action: x\n'])(
  '100,000 characters of %j with a thousand tools are read within the time limit',
  (unit) => {
    const tools = Array.from({ length: 1_000 }, (_, i) => `server_${i % 7}__do_thing_number_${i}`)
    const text = unit.repeat(Math.ceil(100_000 / unit.length))
    for (const read of [readText, readBracket, readJson, readConversational])
      expect(
        cpuSeconds(() => read(text, tools), BOUND),
        read.name,
      ).toBeLessThan(BOUND)
  },
)

/**
 * Compares a text with one sixteen times as long, for each reader. It allows twice the linear time and the cost of a
 * pause, but not 256 times as much. Most readers take less than a pause for the long text.
 */
function isLinear(textOf: (length: number) => string): void {
  const [short, long] = [textOf(SHORT), textOf(16 * SHORT)]
  for (const [name, read] of Object.entries(READERS)) {
    if (cpuSeconds(() => read(long)) < PAUSE) continue
    const limit = 32 * cpuSeconds(() => read(short)) + PAUSE
    expect(
      cpuSeconds(() => read(long), limit),
      name,
    ).toBeLessThan(limit)
  }
}

function cutOf(text: string): string {
  return cutWhole(text).text
}
