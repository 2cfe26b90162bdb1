import { setTimeout as wait } from 'node:timers/promises'
import { serveModel, type BenchModel } from '../load/servers.ts'

/** A simulated run: the number of steps, each after `stepMs`, and an answer with a word every `wordMs`. */
export interface Pace {
  steps: number
  stepMs: number
  wordMs: number
}

/** The number of words in an answer. */
export const WORDS = 60

/** Returns the question by which the model recognises the run. `name`: letters and digits. */
export function questionFor(name: string, { steps, stepMs, wordMs }: Pace): string {
  return `${name} in ${steps} steps of ${stepMs} ms, ${wordMs} ms a word?`
}

/** Returns the first and the last word of an answer. Both are unique. */
export function wordsAround(name: string): { first: string; last: string } {
  return { first: `Begin${name}`, last: `End${name}` }
}

/**
 * Starts a model that plays the run named in a question. `tell` is called when the first and the last word of the
 * answer are sent.
 */
export function startPacedModel(tell: (name: string, word: 'first' | 'last') => void): Promise<BenchModel> {
  return serveModel(async function* (prompt) {
    const asked = /(\w+) in (\d+) steps of (\d+) ms, (\d+) ms a word\?/.exec(prompt.split('Question: ').at(-1) ?? '')
    const [, name = '', ...numbers] = asked ?? []
    const [steps = 0, stepMs = 0, wordMs = 0] = numbers.map(Number)
    const n = prompt.split('\nObservation:').length
    await wait(stepMs)
    if (n <= steps) return yield ` Step ${n} is next.\nAction: calculator\nAction Input: ${n}*29^0.23`
    yield ' I now know the final answer\nFinal Answer:'
    for (let i = 1; i <= WORDS; i++) {
      if (i === 1) tell(name, 'first')
      if (i === WORDS) tell(name, 'last')
      const { first, last } = wordsAround(name)
      yield ` ${i === 1 ? first : i === WORDS ? last : `word${i}`}`
      if (wordMs > 0 && i < WORDS) await wait(wordMs)
    }
  })
}
