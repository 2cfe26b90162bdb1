/** Work on a question before its thread is open: a conditional question of a schedule is answered first. */
import { fieldOf, parseFields } from '../stores/runs/stored-run.ts'
import {
  progressOf,
  type OccurrenceQuestion,
  type Question,
  type RunPart,
  type SavedRun,
} from '../stores/runs/types.ts'
import type { RunWork } from './services.ts'

/** Returns the question with the work that was done on it. */
export function withPrior(question: OccurrenceQuestion, saved: SavedRun): OccurrenceQuestion {
  const parts = partsOf(saved)
  return parts.length > 0 ? { ...question, prior: Object.fromEntries(parts.map(fieldOf)) } : question
}

/** Returns the progress of a run with the work from before its thread was open, whether it is taken over yet or not. */
export function progressWithPrior(question: Question, saved: SavedRun): Pick<SavedRun, 'steps' | 'memory' | 'usage'> {
  const prior = priorOf(question)
  const isTaken = !prior || saved.usage.length > 0 || saved.steps.length > 0
  return progressOf(isTaken ? saved : parseFields(prior))
}

/** Takes over the work that was done before the thread was open. */
export async function restorePrior({ question, run }: RunWork): Promise<void> {
  const prior = priorOf(question)
  if (!prior || run.saved.usage.length > 0 || run.saved.steps.length > 0) return
  await run.save(...partsOf(parseFields(prior)))
}

function priorOf(question: Question): Record<string, string> | undefined {
  return question.kind === 'occurrence' ? question.prior : undefined
}

function partsOf({ standalone, remembered, steps, memory, usage, answer }: SavedRun): RunPart[] {
  if (usage.length === 0) return []
  return [
    ...(standalone === undefined ? [] : [{ part: 'standalone' as const, value: standalone }]),
    ...(remembered ? [{ part: 'remembered' as const, value: remembered }] : []),
    ...steps.map((value, i) => ({ part: 'step' as const, n: i + 1, value })),
    { part: 'memory', value: memory },
    ...usage.map((value, i) => ({ part: 'usage' as const, n: i + 1, value })),
    ...(answer ? [{ part: 'answer' as const, value: answer }] : []),
  ]
}
