/** The progress of a run, rebuilt from its events by the agent and by every reader. */
import type { Usage } from './contracts/model.ts'
import type { Action, AgentEvent, Step, ToolStep } from './contracts/run-events.ts'
import type { ToolMemory } from './contracts/tool.ts'

/** The progress of a run. Immutable: each event creates a new value. */
export interface RunProgress {
  readonly steps: readonly Step[]
  /** The memory of the tools between steps. */
  readonly memory: ToolMemory
  /** The usage of all model calls, including those of tools. */
  readonly usage: readonly Usage[]
}

export const NO_PROGRESS: RunProgress = { steps: [], memory: {}, usage: [] }

/**
 * Applies an event. The agent and all readers use only this to follow a run. Returns the same value if nothing changes.
 * Ignores events that do not come from the agent.
 */
export function applyEvent(
  progress: RunProgress,
  event: AgentEvent | { type: 'understood' | 'for_asker' | 'done' | 'figures' | 'used' },
): RunProgress {
  switch (event.type) {
    case 'usage':
      return { ...progress, usage: [...progress.usage, event.usage] }
    case 'observation':
      return { ...withStep(progress, event.n, withDuration(event)), ...(event.memory ? { memory: event.memory } : {}) }
    case 'thought':
    case 'action':
    case 'message':
    case 'waiting':
    case 'begun':
      return withStep(progress, event.n, event.step)
    default:
      return progress
  }
}

function withStep(progress: RunProgress, n: number, step: Step): RunProgress {
  if (progress.steps[n - 1] === step) return progress
  return { ...progress, steps: [...progress.steps.slice(0, n - 1), step, ...progress.steps.slice(n)] }
}

/** The step with the duration of its tool call. */
function withDuration({ step, ms }: Extract<AgentEvent, { type: 'observation' }>): Step {
  return step.kind === 'tool' ? { ...step, ms } : step
}

/** The number of steps, without people's additions. */
export function stepCount(steps: readonly Step[]): number {
  return steps.filter((step) => step.kind !== 'message').length
}

/** How long the run has waited for people until `now` (ms since the epoch), in ms. Overlapping waits count once. */
export function waitedMs(steps: readonly Step[], now: number): number {
  const spans = steps.flatMap((step) => {
    if (step.kind !== 'tool' || !step.waiting) return []
    const { since, from = since, until = step.observation ? since : now } = step.waiting
    return [{ from, until }]
  })
  let [waited, end] = [0, -Infinity]
  for (const { from, until } of spans.sort((one, other) => one.from - other.from)) {
    waited += Math.max(0, until - Math.max(from, end))
    end = Math.max(end, until)
  }
  return waited
}

/** How long a run worked, in ms, without its waits for people. */
export function workMs({ steps, startedAt }: { steps: readonly Step[]; startedAt: number }, endedAt: number): number {
  return Math.max(0, endedAt - startedAt - waitedMs(steps, endedAt))
}

/** The total usage of several model calls. Calls without a price add no dollars. */
export function totalOf(usage: readonly Usage[]) {
  const total = { inputTokens: 0, outputTokens: 0, tokens: 0, cachedTokens: 0, reasoningTokens: 0, costUsd: 0 }
  for (const { inputTokens, outputTokens, cachedTokens = 0, reasoningTokens = 0, costUsd = 0 } of usage) {
    total.inputTokens += inputTokens
    total.outputTokens += outputTokens
    total.tokens += inputTokens + outputTokens
    total.cachedTokens += cachedTokens
    total.reasoningTokens += reasoningTokens
    total.costUsd += costUsd
  }
  return total
}

/** Applies an event to the run's own progress before its readers get it: `yield record(run, event)`. */
export function record(run: { progress: RunProgress }, event: AgentEvent): AgentEvent {
  run.progress = applyEvent(run.progress, event)
  return event
}

/** Reports the usage that no event has reported yet. */
export function* reportUsage(run: {
  progress: RunProgress
  unreported: { usage: Usage; ms: number }[]
}): Generator<AgentEvent> {
  for (let one = run.unreported.shift(); one; one = run.unreported.shift()) yield record(run, { type: 'usage', ...one })
}

/** The turn of the next step. Steps of one completion share it. */
export function nextTurn({ progress }: { progress: RunProgress }): number {
  return (progress.steps.at(-1)?.turn ?? 0) + 1
}

/** Returns the last call of each tool that was unreachable in that call. */
export function toolsDown(steps: readonly Step[]): Action[] {
  const last = new Map(steps.flatMap((step) => (step.kind === 'tool' ? [[step.action.tool, step] as const] : [])))
  return [...last.values()].flatMap(({ action, observation }) => (observation?.down ? [action] : []))
}

/** Returns whether a tool's step has no observation yet. */
export function isRunning(step: Step): step is ToolStep {
  return step.kind === 'tool' && !step.observation
}

/** Marks an unfinished step as such, for a run in which nothing runs any more. */
export function endedStep(step: Step): Step {
  return isRunning(step) ? { ...step, observation: NOT_FINISHED } : step
}

const NOT_FINISHED = { ok: false, text: 'This step did not finish.' }

/**
 * Removes the asker's input for a tool, the server's state, and what goes back to the model: they are kept only while
 * the run needs them.
 */
export function withoutAnswers(given: Step): Step {
  if (given.kind !== 'tool') return given
  const step = { ...given }
  delete step.kept
  if (!step.waiting) return step
  const { answers, waiting, ...rest } = step
  const { for: asked, ...times } = waiting
  return { ...rest, waiting: answers || asked?.kind === 'question' ? times : waiting }
}

/** Returns whether only the asker may see the step's observation. */
export function isForAsker(step: Step): boolean {
  return step.kind === 'tool' && step.observation?.forAsker === true
}

/** The steps that everybody may see: none after the first turn with something for the asker only, which is hidden. */
export function stepsForAll(steps: readonly Step[]): Step[] {
  const last = steps.find(isForAsker)?.turn ?? Infinity
  return steps.filter(({ turn }) => turn <= last).map((step) => (isForAsker(step) ? hiddenStep(step) : step))
}

/** Returns the step with its observation replaced, for people who may not see it. */
export function hiddenStep<Given extends Step>(step: Given): Given {
  return step.kind === 'tool' ? { ...step, observation: { ok: true, text: 'Only the asker sees this.' } } : step
}

/** Returns whether the step's tool made a file, which is sent with the answer. */
export function hasFile(step: Step): boolean {
  return step.kind === 'tool' && step.observation?.file !== undefined
}
