import { messageOf } from '../../src/base/errors.ts'
import { ROOT } from '../../src/base/package-root.ts'

/** What is wrong with an edit, in a sentence: the place and the fault, without the stack. */
export function sentenceOf(error: unknown): string {
  const lines = messageOf(error)
    .replaceAll(`${ROOT}/`, '')
    .replaceAll('file://', '')
    .split('\n')
    .map((line) => line.trim())
  const fault = lines.find((line) => line.includes(': ERROR: ')) ?? lines.find((line) => line !== '') ?? 'unknown'
  const sentence = fault.replace(': ERROR: ', ': ').slice(0, 500)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
