import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beginsIntermediateAnswer } from '../../src/agent/dialects/self-ask.ts'
import { ObservationCut, beginsObservation, cutWhole } from '../../src/agent/parser/observation-cut.ts'

interface Streamed {
  text: string
  /** The number of pieces before the cut; undefined if there was none. */
  cutAt: number | undefined
}

function streamed(pieces: string[], begins = beginsObservation): Streamed {
  const cut = new ObservationCut(begins)
  const at = pieces.findIndex((piece) => cut.push(piece))
  return { text: cut.text, cutAt: at < 0 ? undefined : at + 1 }
}

function inPieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
}

const TURN = ' I look.\nAction: echo\nAction Input: x\n'

describe('the cut on the stream', () => {
  test.each([
    'Observation: INVENTED',
    '**Observation:** INVENTED',
    '观察：INVENTED',
    'Observation 1: INVENTED',
    'observation : INVENTED',
  ])('comes before “%s”, however it is cut into pieces', (invented) => {
    for (let size = 1; size <= 60; size++)
      expect(streamed(inPieces(`${TURN}${invented}\nFinal Answer: INVENTED`, size)).text).toBe(TURN)
  })

  test('comes as soon as the label is there, not at the end of its line', () => {
    const { cutAt } = streamed([TURN, 'Observ', 'ation', ':', ' INV', 'ENTED', '\n'])
    expect(cutAt).toBe(4)
  })

  test('waits for the end of a line that might be prose', () => {
    expect(streamed([TURN, 'Observation', 's of birds are rare.\n', 'More.']).cutAt).toBeUndefined()
    expect(streamed([TURN, 'Observation', '\n', 'INVENTED'])).toEqual({ text: TURN, cutAt: 3 })
  })

  test('is made by each dialect’s own sign', () => {
    const turn = ' Yes.\nFollow up: Who?\n'
    expect(streamed([turn, 'Intermediate answer: INVENTED'], beginsIntermediateAnswer)).toEqual({
      text: turn,
      cutAt: 2,
    })
    expect(streamed([turn, 'Observation: x'], () => false).cutAt).toBeUndefined()
  })

  test('keeps a model’s thinking before its turn', () => {
    const thinking = '<think>\nI wonder.\nObservation: perhaps x.\n</think>\n'
    for (let size = 1; size <= 40; size++)
      expect(streamed(inPieces(`${thinking}${TURN}Observation: INVENTED`, size)).text).toBe(`${thinking}${TURN}`)
  })

  test('is at the same place as for the whole text', () => {
    const line = fc.constantFrom(
      'Thought: x',
      'Action: echo',
      'Observation: INVENTED',
      'Observation',
      'Observations differ.',
      '<think>',
      '</think> and so',
      '[THINK]a',
      'b[/THINK]Observation: INVENTED',
      '  **Observation**: y',
      '观察：z',
      '',
      'a line of prose that is longer than any label, and goes on and on until it is over, which takes a while',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 50 }), (lines, size) => {
        const text = `${lines.join('\n')}\n`
        expect(streamed(inPieces(text, size)).text).toBe(cutOf(text))
      }),
    )
  })

  test('ends a response that never ends', () => {
    const { text, cutAt } = streamed(Array.from({ length: 300 }, () => 'word '.repeat(200)))
    expect(cutAt).toBeLessThan(110)
    expect(text.length).toBeLessThan(110_000)
  })

  test('ends inside one chunk too, and for an unstreamed answer', () => {
    for (const piece of ['x'.repeat(5_000_000), 'word \n'.repeat(1_000_000), `<think>${'x'.repeat(5_000_000)}`]) {
      const cut = new ObservationCut(beginsObservation)
      expect(cut.push(piece)).toBe(true)
      expect(cut.text.length).toBe(100_001)
      expect(cut.push('more')).toBe(true)
      expect(cut.text.length).toBe(100_001)
    }
  })

  test.each([
    ['[THINK]', '[/THINK]'],
    ['<|begin_of_thought|>', '<|end_of_thought|>'],
    ['<|START_THINKING|>', '<|END_THINKING|>'],
    ['<|channel|>analysis<|message|>', '<|end|>'],
    ['◁think▷', '◁/think▷'],
    ['<seed:think>', '</seed:think>'],
    ['<thinking>\n<reflection>a</reflection>', '</thinking>'],
  ])('leaves alone what stands between %s and %s', (open, close) => {
    const thinking = `${open}\nI wonder.\nObservation: perhaps x.\n${close}`
    for (let size = 1; size <= 40; size++)
      expect(streamed(inPieces(`${thinking}${TURN}Observation: INVENTED`, size)).text).toBe(`${thinking}${TURN}`)
  })

  test('inspects each chunk once, however long a line grows', () => {
    let looked = 0
    const cut = new ObservationCut((line) => {
      looked += line.length
      return false
    })
    for (let n = 0; n < 90_000; n++) cut.push('x')
    expect(looked).toBeLessThan(90_000 * 100)
    expect(cut.text).toHaveLength(90_000)
  })
})

function cutOf(text: string): string {
  return cutWhole(text).text
}
