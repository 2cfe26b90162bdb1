import { cutMiddle } from './observation.ts'
import { tell, type RunState } from './run-state.ts'
import type { AgentEvent, MessageStep } from './types.ts'

/** What a person adds loses its middle beyond this many characters. */
const MOST_ADDED = 4_000

/** Puts what people have added behind the run's steps, before its next thought. @returns whether there was anything. */
export function* takeAdditions(run: RunState): Generator<AgentEvent, boolean> {
  const added = run.added?.() ?? []
  for (const { id, user, text } of added) {
    const { steps } = run.progress
    const turn = steps.at(-1)?.turn ?? 0
    const step: MessageStep = { kind: 'message', turn, id, user, text: cutMiddle(text, MOST_ADDED) }
    yield tell(run, { type: 'message', n: steps.length + 1, step })
  }
  return added.length > 0
}

/** A step of the run waits for a person: nothing can be thought before that is decided. */
export function isWaiting({ progress }: RunState): boolean {
  return progress.steps.some((step) => step.kind === 'tool' && step.waiting && !step.observation)
}

/** A person asked to stop, and this process may say so: the run is not handed over at the same time. */
export function isStopped(run: RunState): boolean {
  return run.stopAsked?.().aborted === true && !run.task.signal.aborted
}
