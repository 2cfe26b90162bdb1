import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { z } from 'zod'
import { parseJson } from '../../base/parse-json.ts'

interface KeptAnswer {
  id: string
  question: string
  error?: string | undefined
}

/**
 * The answers so far, one line per question, so that an interrupted evaluation continues where it was. Failures are not
 * kept: they are asked again. Scores are not kept either: they follow from the answer and the question set.
 */
export class AnsweredFile<Outcome extends KeptAnswer> {
  readonly #file: string
  readonly #byId = new Map<string, Outcome>()

  constructor(file: string, schema: z.ZodType<Outcome>) {
    this.#file = file
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    for (const line of text.split('\n')) {
      const kept = schema.safeParse(parseJson(line)).data
      if (kept) this.#byId.set(kept.id, kept)
    }
    // The process may have died in the middle of a line.
    if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n')
  }

  /** Returns the outcome of this very question; undefined if the set now has another one under its id. */
  of({ id, question }: KeptAnswer): Outcome | undefined {
    const kept = this.#byId.get(id)
    return kept?.question === question ? kept : undefined
  }

  keep(outcome: Outcome): void {
    if (outcome.error === undefined) appendFileSync(this.#file, `${JSON.stringify(outcome)}\n`)
  }
}
