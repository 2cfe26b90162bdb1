/** What a run has done so far. Its events tell it, to the agent itself and to whoever reads them. */
import type { AgentEvent, Step, ToolMemory, ToolStep, Usage } from './types.ts'

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
      return { ...withStep(progress, event.n, timed(event)), ...(event.memory ? { memory: event.memory } : {}) }
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

/** The step, with how long its tool took. */
function timed({ step, ms }: Extract<AgentEvent, { type: 'observation' }>): Step {
  return step.kind === 'tool' ? { ...step, ms } : step
}

/** How many steps the model has taken. What a person added is none of them. */
export function stepCount(steps: readonly Step[]): number {
  return steps.filter((step) => step.kind !== 'message').length
}

/**
 * How long the run of these steps has waited for people until `now` (ms since the epoch), in ms; where several of its steps did at
 * once, that counts once.
 */
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

/** How long a run was at work, in ms, without its waits for people. */
export function workMs({ steps, startedAt }: { steps: readonly Step[]; startedAt: number }, endedAt: number): number {
  return Math.max(0, endedAt - startedAt - waitedMs(steps, endedAt))
}

/** What several model calls used together. A call without a price adds nothing to the dollars. */
export function totalOf(usage: readonly Usage[]) {
  const sum = (part: (one: Usage) => number) => usage.reduce((total, one) => total + part(one), 0)
  const inputTokens = sum((one) => one.inputTokens)
  const outputTokens = sum((one) => one.outputTokens)
  return { inputTokens, outputTokens, tokens: inputTokens + outputTokens, costUsd: sum((one) => one.costUsd ?? 0) }
}

/** The agent's own side: what it has done, and what calls of the model have used and no event has told yet. */
interface RunLedger {
  progress: RunProgress
  unreported: { usage: Usage; ms: number }[]
}

/** Takes an event into the run's own progress, before its readers get it: `yield tell(run, event)`. */
export function tell(run: Pick<RunLedger, 'progress'>, event: AgentEvent): AgentEvent {
  run.progress = applyEvent(run.progress, event)
  return event
}

export function* reportUsage(run: RunLedger): Generator<AgentEvent> {
  for (let one = run.unreported.shift(); one; one = run.unreported.shift()) yield tell(run, { type: 'usage', ...one })
}

/** The number of the turn that a step to come belongs to: several steps of one completion share it. */
export function nextTurn({ progress }: Pick<RunLedger, 'progress'>): number {
  return (progress.steps.at(-1)?.turn ?? 0) + 1
}

/** The tools whose last use failed because they are down. */
export function toolsDown(steps: readonly Step[]): string[] {
  const last = new Map(steps.flatMap((step) => (step.kind === 'tool' ? [[step.action.tool, step] as const] : [])))
  return [...last].flatMap(([tool, { observation }]) => (observation?.down ? [tool] : []))
}

/** A tool's step without an observation. */
export function isRunning(step: Step): step is ToolStep {
  return step.kind === 'tool' && !step.observation
}

/** The step of a run in which nothing runs any more: one that has not ended is marked so. */
export function endedStep(step: Step): Step {
  return isRunning(step) ? { ...step, observation: NOT_FINISHED } : step
}

const NOT_FINISHED = { ok: false, text: 'This was not finished.' }

/** What the asker typed for a tool, and what its server wants back, are kept no longer than the run needs them. */
export function withoutAnswers(step: Step): Step {
  if (step.kind !== 'tool' || !step.waiting) return step
  const { answers, waiting, ...kept } = step
  const { for: asked, ...times } = waiting
  return { ...kept, waiting: answers || asked?.kind === 'question' ? times : waiting }
}

/** Whether the step's tool has made a file, which goes out with the answer. */
export function madeFile(step: Step): boolean {
  return step.kind === 'tool' && step.observation?.file !== undefined
}
