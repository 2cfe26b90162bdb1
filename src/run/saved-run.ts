import type { RunProgress } from '../agent/apply-event.ts'
import type { Step } from '../agent/types.ts'
import type { RunPart, SavedRun } from './types.ts'

/** A run that nobody has worked on. `at`: milliseconds since the epoch of its first start. */
export function freshRun(at: number): SavedRun {
  return { steps: [], memory: {}, posts: {}, usage: [], decisions: {}, startedAt: at, attempts: 0, retries: 0 }
}

/** Puts one saved part into its place. Steps and usage are numbered from 1; saving a number again replaces it. */
export function applyPart(saved: SavedRun, part: RunPart): void {
  switch (part.part) {
    case 'named':
      saved.named = part.value
      return
    case 'said':
      saved.said = part.value
      return
    case 'standalone':
      saved.standalone = part.value
      return
    case 'step':
      saved.steps[part.n - 1] = part.value
      return
    case 'memory':
      saved.memory = part.value
      return
    case 'usage':
      saved.usage[part.n - 1] = part.value
      return
    case 'answer':
      saved.answer = part.value
  }
}

/** The numbers of the steps that wait for a decision. */
export function undecidedSteps({ steps, decisions }: SavedRun): number[] {
  const isUndecided = (step: Step, n: number) =>
    step.kind === 'tool' && step.waiting && !step.observation && !decisions[n]
  return [...steps.entries()].flatMap(([i, step]) => (isUndecided(step, i + 1) ? [i + 1] : []))
}

/** What the run has done so far, as a value that stays as it is while the run goes on. */
export function progressOf({ steps, memory, usage }: SavedRun): RunProgress {
  return { steps: [...steps], memory, usage: [...usage] }
}
