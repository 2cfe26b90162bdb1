import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { parseJson } from '../../base/parse-json.ts'
import { keptOutcome, type EvalOutcome } from './ask-agent.ts'
import type { EvalQuestion } from './questions.ts'

/**
 * The answers so far, one line per question, so that an interrupted evaluation continues where it was. Failures are not
 * kept: they are asked again. Scores are not kept either: they follow from the answer and the question set.
 */
export class AnsweredFile {
  readonly #file: string
  readonly #byId = new Map<string, EvalOutcome>()

  constructor(file: string) {
    this.#file = file
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    for (const line of text.split('\n')) {
      const kept = keptOutcome.safeParse(parseJson(line)).data
      if (kept) this.#byId.set(kept.id, kept)
    }
    // The process may have died in the middle of a line.
    if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n')
  }

  /** Returns the outcome of this very question; undefined if the set now has another one under its id. */
  of({ id, question }: EvalQuestion): EvalOutcome | undefined {
    const kept = this.#byId.get(id)
    return kept?.question === question ? kept : undefined
  }

  keep(outcome: EvalOutcome): void {
    if (outcome.error === undefined) appendFileSync(this.#file, `${JSON.stringify(outcome)}\n`)
  }
}
