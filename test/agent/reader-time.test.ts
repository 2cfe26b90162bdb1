/**
 * What readers choke on, in bulk. The bound is one that only more than linear time breaks: a reading takes some tens of
 * milliseconds.
 */
import { describe, expect, test } from 'vitest'
import { plainProse } from '../../src/agent/partial-answer.ts'
import { defuseLabels, fenceObservation } from '../../src/agent/observation.ts'
import {
  beginsObservation,
  cutAtObservation,
  readBracket,
  readConversational,
  readJson,
  readSelfAsk,
  readText,
  stripThinking,
} from '../../src/agent/parser/index.ts'

/** Seconds of CPU for one reading. */
const BOUND = 2

/** What the facts name, and what a reader with regular expressions is likely to fall over. */
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
]

const TOOLS = ['search', 'Finish']

const READERS: Record<string, (text: string) => unknown> = {
  readText: (text) => readText(text, TOOLS),
  'readText without tools': (text) => readText(text, []),
  readJson: (text) => readJson(text, TOOLS),
  readBracket: (text) => readBracket(text, TOOLS),
  readConversational: (text) => readConversational(text, TOOLS),
  readSelfAsk,
  cutAtObservation,
  stripThinking,
  beginsObservation,
  defuseLabels,
  fenceObservation: (text) => fenceObservation(text, 'f00d11'),
  plainProse: (text) => plainProse(text, beginsObservation),
}

/** What stands before the run of one unit. */
const LEADS: Record<string, string> = {
  'a turn': '',
  'an input': 'Action: search\nAction Input: ',
  'an answer': 'Final Answer: ',
  'a call': 'Action: search[',
  'a JSON input': '{"action": "search", "action_input": "',
  'a fence': '```\nAction: ',
}

test('blanks before a character, and brackets that are all closed', () => {
  for (const lead of ['', '`', 'Thought: ', '{"a": 1}', 'Action: search\n'])
    holdsBound(`${lead}${' '.repeat(200_000)}x`)
  holdsBound('['.repeat(100_000) + ']'.repeat(100_000))
})

test.each(WORST)('a megabyte of %j', (unit) => {
  holdsBound(unit.repeat(Math.ceil(1_000_000 / unit.length)))
})

describe.each(Object.entries(LEADS))('%s', (_what, lead) => {
  test.each(UNITS)('of a hundred thousand characters of %j', (unit) => {
    holdsBound(lead + unit.repeat(Math.ceil(100_000 / unit.length)))
  })
})

function holdsBound(text: string): void {
  for (const [name, read] of Object.entries(READERS)) {
    const before = process.cpuUsage()
    read(text)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1e6, name).toBeLessThan(BOUND)
  }
}
