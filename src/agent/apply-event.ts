import type { AgentEvent, Step, ToolMemory, Usage } from './types.ts'

/** What a run has done so far, as its events tell it. A value: the next event makes a new one. */
export interface RunProgress {
  readonly steps: readonly Step[]
  /** What the tools remember between steps. */
  readonly memory: ToolMemory
  /** What the model's calls have used, those of the tools included. */
  readonly usage: readonly Usage[]
}

export const NO_PROGRESS: RunProgress = { steps: [], memory: {}, usage: [] }

/**
 * What a run has done once this event has happened: the one way in which the agent itself and each reader of its events
 * keep up with a run. An event that changes nothing gives the same value back. Events that are not the agent's are ignored.
 */
export function applyEvent(progress: RunProgress, event: AgentEvent | { type: 'understood' }): RunProgress {
  switch (event.type) {
    case 'usage':
      return { ...progress, usage: [...progress.usage, event.usage] }
    case 'observation':
      return { ...withStep(progress, event.n, event.step), ...(event.memory ? { memory: event.memory } : {}) }
    case 'thought':
    case 'action':
    case 'message':
    case 'waiting':
      return withStep(progress, event.n, event.step)
    default:
      return progress
  }
}

function withStep(progress: RunProgress, n: number, step: Step): RunProgress {
  if (progress.steps[n - 1] === step) return progress
  return { ...progress, steps: [...progress.steps.slice(0, n - 1), step, ...progress.steps.slice(n)] }
}

/** How many steps the model has taken. What a person added is none of them. */
export function stepCount(steps: readonly Step[]): number {
  return steps.filter((step) => step.kind !== 'message').length
}
