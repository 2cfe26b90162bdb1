import fc from 'fast-check'
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
} from '../../src/agent/parser/index.ts'
import type { ParsedTurn } from '../../src/agent/types.ts'

const READERS: Record<string, (text: string, tools: string[]) => ParsedTurn> = {
  text: readText,
  json: readJson,
  bracket: readBracket,
  conversational: readConversational,
  'self-ask': (text) => readSelfAsk(text),
}

const FRAGMENTS = [
  ...['Thought:', 'Action:', 'Action Input:', 'Final Answer:', 'Question:', '思考：', '行动：', '行动输入：', 'AI:'],
  ...[
    'Follow up:',
    'So the final answer is:',
    'Action 1: Search[',
    '### Action',
    '**Action**',
    'Input:',
    'ActionPath 1:',
  ],
  ...[
    'search',
    'Search',
    'Finish',
    'None',
    'x',
    '1',
    'null',
    'True',
    '"action"',
    '"action_input"',
    '"name"',
    '"arguments"',
  ],
  ...[
    '\n',
    '\n\n',
    '\r\n',
    ' ',
    '    ',
    '\t',
    '\u00a0',
    '\u200b',
    '\ufeff',
    '```',
    '```json',
    '~~~',
    '**',
    '`',
    '_',
    '#',
  ],
  ...[
    '[',
    ']',
    '(',
    ')',
    '{',
    '}',
    '"',
    "'",
    '“',
    '”',
    ',',
    ':',
    '：',
    '=',
    '.',
    '\\',
    '\\"',
    '"""',
    '//',
    '/*',
    '<|im_end|>',
    '</s>',
  ],
]
const OBSERVATION = ['Observation:', 'Observation 1:', '观察：', 'Intermediate answer:']
const THINKING = ['<think>', '</think>']

const pieces = (fragments: string[]) =>
  fc.array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...fragments) }, fc.string({ maxLength: 8 })), {
    maxLength: 30,
  })
const written = pieces([...FRAGMENTS, ...OBSERVATION, ...THINKING]).map((all) => all.join(''))
const withoutThinking = pieces(FRAGMENTS).map((all) => all.join(''))
const tools = fc.constantFrom<string[]>([], ['search'], ['search', 'Search', 'Finish'])

/** Whatever was read, a caller may rely on this much. */
function isSound(reading: ParsedTurn): void {
  if (reading.kind === 'finish') expect(reading.answer.trim()).not.toBe('')
  else if (reading.kind === 'unreadable') expect(reading.hint).not.toMatch(/^\W*(observation|question)/im)
  else {
    expect(reading.actions).toHaveLength(1)
    expect(reading.actions[0]?.tool.trim()).not.toBe('')
    expect(reading.actions[0]?.input).toBeDefined()
  }
  expect(typeof reading.thought).toBe('string')
}

describe.each(Object.entries(READERS))('the reader of %s', (_name, read) => {
  test('takes any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), tools, (text, names) => isSound(read(text, names))),
    )
  })

  test('takes any text made of labels, brackets, quotes and fences', () => {
    fc.assert(
      fc.property(written, tools, (text, names) => isSound(read(text, names))),
      { numRuns: 400 },
    )
  })

  test('is moved by nothing after the first invented observation', () => {
    fc.assert(
      fc.property(withoutThinking, written, tools, (turn, after, names) => {
        expect(read(`${turn}\nObservation: ${after}`, names)).toEqual(read(`${turn}\nObservation:`, names))
      }),
      { numRuns: 400 },
    )
  })
})

test('the cut is a beginning of the text, and cutting it again changes nothing', () => {
  fc.assert(
    fc.property(written, (text) => {
      const cut = cutAtObservation(text)
      expect(text.startsWith(cut)).toBe(true)
      expect(cutAtObservation(cut)).toBe(cut)
    }),
    { numRuns: 400 },
  )
})

test('a line that begins an observation begins one with whatever follows', () => {
  fc.assert(
    fc.property(fc.constantFrom('Observation:', '**Observation:**', '观察：'), fc.string(), (label, rest) => {
      expect(beginsObservation(label + rest)).toBe(true)
    }),
  )
})

test('thinking is dropped from any text, and nothing is added', () => {
  fc.assert(
    fc.property(written, (text) => {
      expect(stripThinking(text).length).toBeLessThanOrEqual(text.length)
    }),
  )
})
