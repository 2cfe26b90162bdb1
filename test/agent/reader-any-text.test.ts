import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBracket } from '../../src/agent/dialects/bracket.ts'
import { readConversational } from '../../src/agent/dialects/conversational.ts'
import { readJson } from '../../src/agent/dialects/json.ts'
import { readSelfAsk } from '../../src/agent/dialects/self-ask.ts'
import { readText } from '../../src/agent/dialects/text.ts'
import { beginsObservation, cutWhole, withoutThinking } from '../../src/agent/parser/observation-cut.ts'
import { anyCharacter } from '../harness/any-character.ts'
import type { ParsedTurn } from '../../src/agent/contracts/dialect.ts'
import { propertyRuns } from '../harness/property-runs.ts'

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
  ...[
    '- ',
    '1. ',
    '🔧 ',
    '<b>',
    '</b>',
    '[Action]',
    ' - ',
    ' => ',
    '<action>',
    '</action>',
    '<answer>',
    'Answer:',
    '答案：',
    'Tool:',
  ],
  ...[
    '<function=search>',
    '<parameter=q>',
    '</parameter>',
    '<tool_call>',
    '<arg_key>',
    '</arg_key>',
    '<arg_value>',
    '</arg_value>',
  ],
  ...[
    '<invoke name="search">',
    '<parameter name="q">',
    '[TOOL_CALLS]',
    '[ARGS]',
    'commentary to=search',
    '<|message|>',
    '>>>search',
  ],
  ...['<|channel|>', 'final', 'search(', 'q="x"', '<escape>', 'functions.'],
]
const OBSERVATION = ['Observation:', 'Observation 1:', '观察：', 'Intermediate answer:']
const THINKING = ['<think>', '</think>', '[THINK]', '[/THINK]', '<|channel|>analysis<|message|>', '<|end|>']

const pieces = (fragments: string[]) =>
  fc.array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...fragments) }, fc.string({ maxLength: 8 })), {
    maxLength: 30,
  })
const written = pieces([...FRAGMENTS, ...OBSERVATION, ...THINKING]).map((all) => all.join(''))
const ordinary = pieces(FRAGMENTS).map((all) => all.join(''))
const tools = fc.constantFrom<string[]>([], ['search'], ['search', 'Search', 'Finish'])

/** Checks what a caller may rely on for any text. */
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
  test('parses any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), tools, (text, names) =>
        isSound(read(text, names)),
      ),
    )
  })

  test('parses any text made of labels, brackets, quotes and fences', () => {
    fc.assert(
      fc.property(written, tools, (text, names) => isSound(read(text, names))),
      { numRuns: propertyRuns({ test: 100, chaos: 400 }) },
    )
  })

  test('ignores everything after the first invented observation', () => {
    fc.assert(
      fc.property(ordinary, written, tools, (turn, after, names) => {
        expect(read(`${turn}\nObservation: ${after}`, names)).toEqual(read(`${turn}\nObservation:`, names))
      }),
      { numRuns: propertyRuns({ test: 100, chaos: 400 }) },
    )
  })
})

test('the cut returns a prefix of the text, and is idempotent', () => {
  fc.assert(
    fc.property(written, (text) => {
      const cut = cutOf(text)
      expect(text.startsWith(cut)).toBe(true)
      expect(cutOf(cut)).toBe(cut)
    }),
    { numRuns: propertyRuns({ test: 100, chaos: 400 }) },
  )
})

test('a line that begins an observation does so whatever follows', () => {
  fc.assert(
    fc.property(fc.constantFrom('Observation:', '**Observation:**', '观察：'), fc.string(), (label, rest) => {
      expect(beginsObservation(label + rest)).toBe(true)
    }),
  )
})

test('removing thinking from any text adds nothing', () => {
  fc.assert(
    fc.property(written, (text) => {
      expect(withoutThinking(text).length).toBeLessThanOrEqual(text.length)
    }),
  )
})

function cutOf(text: string): string {
  return cutWhole(text).text
}
