import { describe, expect, test } from 'vitest'
import { beginsIntermediateAnswer } from '../../src/agent/dialects/self-ask.ts'
import { beginsObservation, cutWhole, withoutThinking } from '../../src/agent/parser/observation-cut.ts'

const OBSERVATIONS = [
  'Observation: 42',
  'Observation:',
  'Observation 1: 42',
  'Observation #1: 42',
  'Observation : 42',
  'Observation：42',
  'observation: 42',
  'OBSERVATION: 42',
  '   Observation: 42',
  '\tObservation: 42',
  '\u200bObservation: 42',
  '**Observation:** 42',
  '**Observation**: 42',
  '**Observation 2:** 42',
  '**Observation: 42**',
  '_Observation:_ 42',
  '`Observation:` 42',
  '### Observation: 42',
  '## **Observation**: 42',
  '观察：42',
  '观察: 42',
  '**观察 1**：42',
  '观察结果：42',
  '觀察：42',
]

const NO_OBSERVATIONS = [
  '',
  'Thought: 42',
  'Observations show that: it is 42',
  'Observational: 42',
  'An Observation: 42',
  'My observation: 42',
  '- Observation: 42',
  '* Observation: 42',
  '1. Observation: 42',
  'Observation of the sky: 42',
  '"Observation: 42"',
  '    observation: str',
  '### Observation',
  '**Observation**',
  '观察到的是：42',
]

describe('a line that begins an observation', () => {
  test.each(OBSERVATIONS)('%j does', (line) => {
    expect(beginsObservation(line)).toBe(true)
    expect(beginsObservation(`${line}\n`)).toBe(true)
  })

  test.each(NO_OBSERVATIONS)('%j does not', (line) => {
    expect(beginsObservation(line)).toBe(false)
  })

  test('an incomplete line is not taken for a label too early', () => {
    const line = 'Observational studies: none'
    for (let end = 0; end <= line.length; end++) expect(beginsObservation(line.slice(0, end))).toBe(false)
  })

  test('a bare word is a label once its line has ended', () => {
    expect(beginsObservation('Observation')).toBe(false)
    expect(beginsObservation('Observation\n')).toBe(true)
    expect(beginsObservation('Observation 3\r\n')).toBe(true)
  })
})

describe('a line that begins an intermediate answer', () => {
  test.each(['Intermediate answer: 42', '**Intermediate answer:** 42', 'intermediate answer：42'])(
    '%j does',
    (line) => {
      expect(beginsIntermediateAnswer(line)).toBe(true)
    },
  )

  test.each(['Intermediate answer', 'An intermediate answer: 42', 'Follow up: 42'])('%j does not', (line) => {
    expect(beginsIntermediateAnswer(line)).toBe(false)
  })
})

describe('the cut', () => {
  const before = 'Thought: a\nAction: b\nAction Input: c\n'

  test.each(OBSERVATIONS)('is made before %j', (line) => {
    expect(cutOf(`${before}${line}\nFinal Answer: 42`)).toBe(before)
    expect(cutOf(`${before}${line}`)).toBe(before)
  })

  test.each(NO_OBSERVATIONS)('is not made at %j', (line) => {
    expect(cutOf(`${before}${line}\nmore`)).toBe(`${before}${line}\nmore`)
  })

  test('happens at a bare last word', () => {
    expect(cutOf(`${before}Observation`)).toBe(before)
  })

  test('happens at the first of several', () => {
    expect(cutOf('a\nObservation: b\nObservation: c')).toBe('a\n')
  })

  test('happens with CRLF line ends', () => {
    expect(cutOf('a\r\nObservation: b\r\n')).toBe('a\r\n')
  })

  test('keeps a text without an observation', () => {
    expect(cutOf(before)).toBe(before)
    expect(cutOf('')).toBe('')
  })

  test('leaves nothing if the observation comes first', () => {
    expect(cutOf('Observation: b\nFinal Answer: c')).toBe('')
  })

  test('ignores observations inside thinking', () => {
    const thinking = '<think>\nObservation: imagined\n</think>\n'
    expect(cutOf(`${thinking}${before}Observation: b`)).toBe(`${thinking}${before}`)
  })

  test('ignores observations inside unfinished thinking', () => {
    expect(cutOf('<think>\nObservation: imagined')).toBe('<think>\nObservation: imagined')
  })
})

describe('thinking', () => {
  test('is dropped with its tags', () => {
    expect(withoutThinking('<think>a</think>b')).toBe('b')
    expect(withoutThinking('<think>\na\n</think>\n\nb')).toBe('\n\nb')
    expect(withoutThinking('<THINKING>a</THINKING>b')).toBe('b')
  })

  test('is dropped block by block', () => {
    expect(withoutThinking('<think>a</think> <think>b</think> c')).toBe('  c')
  })

  test('extends to the end of the text if it is not closed', () => {
    expect(withoutThinking('<think>a\nFinal Answer: b')).toBe('')
  })

  test('is dropped before a closing tag whose opening tag is in the prompt', () => {
    expect(withoutThinking('a\nb\n</think>\nc')).toBe('\nc')
    expect(withoutThinking('a</think>\nc')).toBe('\nc')
  })

  test('is kept in an answer that mentions the tags', () => {
    for (const text of [
      'Final Answer: write <think> first',
      'Final Answer:\n<think>a</think>',
      'Use </think> in the middle of a line.',
      'The closing tag is </think>',
      'First <think> then </think>\nand more',
    ])
      expect(withoutThinking(text)).toBe(text)
  })
})

function cutOf(text: string): string {
  return cutWhole(text).text
}
