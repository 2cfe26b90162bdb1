/**
 * A megabyte of what readers choke on. The bound is one that only more than linear time breaks: each takes some tens of
 * milliseconds on an idle machine (`npm run bench` measures it).
 */
import { describe, expect, test } from 'vitest'
import {
  beginsObservation,
  cutAtObservation,
  readBracket,
  readConversational,
  readJson,
  readSelfAsk,
  readText,
  stripThinking,
} from '../../src/agent/parse.ts'

/** Seconds of CPU for one reading. */
const BOUND = 2

const UNITS = [
  ...['[', '{', '(', '"', "'", '`', '\n', ' ', '\t', '#', '*', '\\', '\u200b', '1', '\r'],
  ...[
    'Action:',
    'Action:\n',
    'Action: None\n',
    'Action: search[',
    'Action: search[\n',
    'Action Input:',
    '行动：\n',
    'Thought: ',
  ],
  ...[
    'Final Answer:',
    '. Final Answer: ',
    'Final Answer: a\nQuestion:\n',
    'Observation',
    '  observation: \n',
    'Follow up:\n',
  ],
  ...[
    'search[',
    'search(',
    '](',
    '[]',
    '{}',
    '[{',
    '{"',
    '{"a":',
    '{"a":"',
    '{"a":"{"b":',
    '{"a":"["b "}\n',
    '"#',
    '"//',
    '{/*',
  ],
  ...[
    '```json\n',
    '```\n',
    '~~~\n',
    '```',
    '<think>',
    '</think>',
    '<think></think>',
    '<think>a</think>\n',
    '<|im_end|>.',
    '</s>',
  ],
  ...[
    '**Action**\nx\n',
    'Action: x Action Input: y ',
    'Action: search Action Input: ',
    '(Wait ',
    '\ud83d',
    '"\'`[{',
    '{"action":"x"}\n',
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
}

/** What stands before the run of one unit, and how many characters there are of it. */
const LEADS: [string, string, number][] = [
  ['a megabyte', '', 1_000_000],
  ['an input', 'Action: search\nAction Input: ', 200_000],
  ['an answer', 'Final Answer: ', 200_000],
  ['a call', 'Action: search[', 200_000],
  ['a JSON input', '{"action": "search", "action_input": "', 200_000],
  ['a fence', '```\nAction: ', 200_000],
]

describe.each(LEADS)('%s', (_what, lead, length) => {
  test.each(UNITS)('of %j', (unit) => {
    const text = lead + unit.repeat(Math.ceil(length / unit.length))
    for (const [name, read] of Object.entries(READERS)) {
      const before = process.cpuUsage()
      read(text)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1e6, name).toBeLessThan(BOUND)
    }
  })
})
