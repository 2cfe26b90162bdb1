import { messageOf } from '../../src/base/errors.ts'
import { ROOT } from '../../src/base/package-root.ts'

/** Returns one sentence about the error of an edit: the place and the message, without the stack. */
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
