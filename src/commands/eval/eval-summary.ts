import { f1, isDeclined, isRight } from './score-answer.ts'
import type { EvalOutcome } from './ask-agent.ts'
import type { EvalQuestion } from './parse-set.ts'
import { nameOf, type Variant } from './options.ts'

/** One question with its outcome and score, as in the JSON file. */
export interface ScoredOutcome extends EvalOutcome {
  gold: string[]
  em: number
  f1: number
}

/**
 * The figures of one side of the comparison. Shares are 0 to 1, times seconds; tokens and dollars are means per
 * question.
 */
export interface Summary {
  name: string
  questions: number
  right: number
  em: number
  f1: number
  steps: number
  seconds: { median: number; p95: number }
  tokens: { in: number; out: number; estimated: boolean }
  /** Counted over all answers for which something was read. */
  figures: { total: number; unsupported: number }
  /** Omitted if the price of any call is unknown. */
  costUsd?: number
  /**
   * The number of runs by outcome. `answered`: the model ended the run itself. `not answered`: it ended the run, but
   * said that it does not know.
   */
  ends: Record<string, number>
}

/** Adds the scores to the outcomes. */
export function scoreAll(questions: EvalQuestion[], outcomes: EvalOutcome[]): ScoredOutcome[] {
  const known = new Map(questions.map((question) => [question.id, question]))
  return outcomes.map((outcome) => {
    const { gold, rejected } = known.get(outcome.id) ?? { gold: [] }
    const right = isRight({ gold, rejected }, outcome) ? 1 : 0
    return {
      ...outcome,
      gold,
      em: right,
      // F1 needs a right answer to compare with.
      f1:
        gold.length > 0 && outcome.answer !== undefined && !isDeclined(outcome.answer)
          ? f1(outcome.answer, gold)
          : right,
    }
  })
}

export function summarise(variant: Variant, scored: ScoredOutcome[]): Summary {
  const sum = (part: (one: ScoredOutcome) => number) => scored.reduce((total, one) => total + part(one), 0)
  const mean = (part: (one: ScoredOutcome) => number) => sum(part) / scored.length
  const seconds = scored.map((one) => one.ms / 1000).sort((a, b) => a - b)
  const priced = scored.every((one) => one.costUsd !== undefined)
  return {
    name: nameOf(variant),
    questions: scored.length,
    right: scored.filter((one) => one.em === 1).length,
    em: mean((one) => one.em),
    f1: mean((one) => one.f1),
    steps: mean((one) => one.steps),
    seconds: { median: quantile(seconds, 0.5), p95: quantile(seconds, 0.95) },
    tokens: {
      in: mean((one) => one.inputTokens),
      out: mean((one) => one.outputTokens),
      estimated: scored.some((one) => one.estimated),
    },
    figures: {
      total: sum(({ figures }) => figures?.total ?? 0),
      unsupported: sum(({ figures }) => figures?.unsupported ?? 0),
    },
    ...(priced ? { costUsd: mean((one) => one.costUsd ?? 0) } : {}),
    ends: endsOf(scored),
  }
}

function endsOf(scored: ScoredOutcome[]): Record<string, number> {
  const ends: Record<string, number> = {}
  for (const { error, stopped, answer, em } of scored) {
    const isAnswer = answer === undefined || em === 1 || !isDeclined(answer)
    const end = error === undefined ? (stopped ?? (isAnswer ? 'answered' : 'not answered')) : 'failed'
    ends[end] = (ends[end] ?? 0) + 1
  }
  return ends
}

/** The nearest-rank quantile of sorted values. */
export function quantile(sorted: number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
