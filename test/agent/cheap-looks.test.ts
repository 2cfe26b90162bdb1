import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAY_BE_INLINE, readInline } from '../../src/agent/parser/inline-steps.ts'
import { MAY_LEAK, readLeaked } from '../../src/agent/parser/leaked-calls.ts'
import { modelOutputOf } from '../../src/agent/parser/model-output.ts'
import {
  MAY_END_REASONING,
  MAY_OPEN_REASONING,
  opensReasoning,
  withoutReasoning,
} from '../../src/agent/parser/reasoning.ts'
import {
  hasFinalPart,
  defuseTokens,
  finalPart,
  MAY_HOLD_TOKENS,
  withoutEnd,
  withoutHead,
} from '../../src/agent/parser/special-tokens.ts'
import { MAY_FINISH, namesFinish } from '../../src/agent/parser/tool-names.ts'
import { propertyRuns } from '../harness/property-runs.ts'

/** Parts of rare shapes, whole and in pieces, so that texts often lack a single mark. */
const PIECES = [
  ...['think', '<think>', '</think>', '◁think▷', '◁/think▷', '[think]', '[/think]', '`'.repeat(3), '<!--', '-->'],
  ...['analysis', 'ANALYSIS', 'The', 'assistantfinal', 'assistant final', 'ASSISTANTFINAL', 'here is my response:'],
  ...['Here is my thinking process:', '<|im_end|>', '<|im_start|>', '<｜User｜>', '</s>', '[/INST]', '[INST]', '[e~['],
  ...[']~b[', '<answer>', '</answer>', '<unused95>', 'search', 'search(', 'query="x")', '(', ')', '{"query": "x"}'],
  ...[
    '>>>',
    '>>>search\n',
    'to=',
    'to=search{"query": "x"}',
    'TO=search',
    'commentary ',
    '[TOOL_CALLS]',
    '[TOOL_CALL\u017f]',
    '<search>',
  ],
  ...['</search>', '<function=search>', '</function>', '<|tool_call_begin|>', 'Action', 'ACTION', 'Action Input', ': '],
  ...[
    'Final Answer',
    '. Final Answer: x',
    'Action: search Action Input: x',
    'final answer',
    'Final',
    '. ',
    'x',
    '\n',
    ' ',
    '\t',
    '<',
    '>',
    '[',
    ']',
    '\u00ab',
    '\uff1a',
    '"',
  ],
]
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(''))
const OPTIONS = { numRuns: propertyRuns({ test: 1_500, chaos: 5_000 }) }

/** Checks a property of all texts that `look` does not match. */
function holdsWithout(look: RegExp, all: fc.Arbitrary<string>, hold: (text: string) => void): void {
  let without = 0
  const check = (text: string) => {
    if (look.test(text)) return
    without++
    hold(text)
  }
  fc.assert(fc.property(all, check), OPTIONS)
  expect(without).toBeGreaterThan(100)
}

test('a text without special tokens loses only its trailing space', () => {
  holdsWithout(MAY_HOLD_TOKENS, texts, (text) => {
    expect(withoutHead(text)).toBe(text)
    expect(finalPart(text)).toEqual({ text, isFinal: false })
    expect(withoutEnd(text)).toBe(text.trimEnd())
    expect(hasFinalPart(text)).toBe(false)
    expect(defuseTokens(text)).toBe(text)
  })
})

test('a line without a reasoning tag opens no reasoning', () => {
  holdsWithout(MAY_OPEN_REASONING, texts, (line) => expect(opensReasoning(line, true)).toBeUndefined())
})

test('a text without a closing reasoning tag is kept whole', () => {
  holdsWithout(MAY_END_REASONING, texts, (text) => expect(withoutReasoning(text, [])).toBe(text))
})

test('a text without native-call marks leaks no call, and one without label words has no one-line step', () => {
  const turn = (text: string) => ({ ...modelOutputOf('', ['search']), text })
  holdsWithout(MAY_LEAK, texts, (text) => expect(readLeaked(turn(text))).toBeUndefined())
  holdsWithout(MAY_BE_INLINE, texts, (text) => expect(readInline(turn(text))).toBeUndefined())
})

test('a listed tool ends a run only where its name is allowed to', () => {
  const letters = fc.constantFrom(...'finshwerFINSH_- .:/最终答案回ｆ@*')
  const names = fc.oneof(
    fc.string({ unit: letters, maxLength: 14 }),
    fc.constantFrom(
      'finish',
      'Final_Answer',
      'answer',
      'final',
      'respond',
      'search',
      '最终答案',
      'ns.finish',
      'ｆinish',
    ),
  )
  holdsWithout(MAY_FINISH, names, (name) => expect(namesFinish(name, [name])).toBe(false))
})
