/** The parts of a saved run: what an event of the agent adds to it. */
import type { Usage } from '../agent/contracts/model.ts'
import type { AgentEvent } from '../agent/contracts/run-events.ts'
import type { RunProgress } from '../agent/run-progress.ts'
import type { Run, RunPart, SavedRun } from '../stores/runs/types.ts'
import type { FinalEvent } from './judge-answer.ts'

/** Saves the usage of a failed run. A failure to save is ignored, because the caller needs the run's own error. */
export async function saveQuietly(run: Run, usage: RunPart[]): Promise<void> {
  if (usage.length > 0) await run.save(...usage).catch(() => undefined)
}

/** Returns the parts of the saved run that an event changes, besides usage. */
export function partsOf(event: AgentEvent, before: RunProgress, progress: RunProgress): RunPart[] {
  const parts: RunPart[] = []
  const step = 'step' in event && progress.steps !== before.steps ? progress.steps[event.n - 1] : undefined
  if ('step' in event && step) parts.push({ part: 'step', n: event.n, value: step })
  if (progress.memory !== before.memory) parts.push({ part: 'memory', value: progress.memory })
  return parts
}

/** Returns the answer as the saved run stores it. `judged`: the result of the judgement. */
export function answerPart(
  event: FinalEvent,
  judged: Omit<NonNullable<SavedRun['answer']>, 'text' | 'sources'>,
): RunPart {
  const { text, unseen } = event
  const ending =
    event.type === 'answer'
      ? { sources: event.sources, stopped: event.stopped }
      : { sources: [], stopped: event.reason, gaveUp: true as const }
  return { part: 'answer', value: { text, ...ending, unseen, ...judged } }
}

/** Returns the usage that is not saved yet, to be saved with the next part or at the end. */
export function unsavedUsage({ saved }: Run, usage: readonly Usage[]): RunPart[] {
  const count = saved.usage.length
  return usage.slice(count).map((value, i) => ({ part: 'usage', n: count + i + 1, value }))
}
