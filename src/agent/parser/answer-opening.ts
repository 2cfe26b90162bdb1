/** Finds where an answer may begin in a line of model output, for each form that the dialects teach. */
import type { AnswerOpening } from '../contracts/dialect.ts'
import { reactLabel, type LabelReader } from './labels.ts'

/** After a label: `Final Answer: …`. Decoration that also closes the value is left to the reader of the whole. */
export function labelledAnswer(line: string, labelAt: LabelReader<string> = reactLabel): AnswerOpening | undefined {
  const label = labelAt(line, 0)
  if (label?.name !== 'answer' || !label.colon || label.wrap !== '') return undefined
  return { at: label.valueAt, form: 'text', indent: label.indent }
}

const KEY = /["'](?:action[ _]?input|tool[ _]?input|final[ _]?answer|answer|arguments|input)["']\s{0,9}:\s{0,9}"/i

/** Finds an answer in a string of a JSON object: `{"action": "Final Answer", "action_input": "…`. */
export function answerInJson(line: string): AnswerOpening | undefined {
  const match = KEY.exec(line)
  return match ? { at: match.index + match[0].length, form: 'json' } : undefined
}

const CALL = /(?<![\p{L}\p{N}])finish\[/iu

/** Finds an answer in the brackets of a call: `Finish[…`. A label ends it. */
export function answerInBrackets(line: string): AnswerOpening | undefined {
  const match = CALL.exec(line)
  const endsAt = (later: string) => reactLabel(later, 0) !== undefined
  return match ? { at: match.index + match[0].length, form: 'bracket', endsAt } : undefined
}
