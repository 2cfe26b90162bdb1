import { Deadline } from './deadline.ts'
import { inputText } from './tool-input.ts'
import type { RunState } from './run-state.ts'
import type { Action, Step, StopReason, Tool } from './types.ts'
import { totalOf } from './usage.ts'

/** After as many unreadable completions in a row, the model is made to answer. */
const MAX_UNREADABLE = 3
/** The same action the second time is answered from memory; the third time ends the run. */
export const MAX_SAME_ACTION = 3
/** A model may ask for several tools at once; what goes beyond this many in one turn is dropped. */
const MAX_AT_ONCE = 5

/** Why the next model call must be the last, or undefined while there is budget. */
export function stopReason(run: RunState): StopReason | undefined {
  const { limits, steps } = run
  if (limits.breakLoops !== false && isUnreadable(steps)) return 'unreadable'
  if (limits.breakLoops !== false && isLooping(run)) return 'loop'
  if (steps.length >= limits.maxSteps) return 'steps'
  if (thinkingMs(run) <= 0) return 'time'
  return overspent(run)
}

/** How many of the actions that a turn asks for become steps: five at most, and no more than the run has left. */
export function roomForActions({ steps, limits }: RunState): number {
  return Math.max(1, Math.min(MAX_AT_ONCE, limits.maxSteps - steps.length))
}

function overspent({ usage, limits, task }: RunState): StopReason | undefined {
  const { tokens, costUsd } = totalOf([...(task.spent ?? []), ...usage])
  if (limits.maxTokens !== undefined && tokens >= limits.maxTokens) return 'tokens'
  return limits.maxCostUsd !== undefined && costUsd >= limits.maxCostUsd ? 'cost' : undefined
}

function isUnreadable(steps: Step[]): boolean {
  const last = steps.slice(-MAX_UNREADABLE)
  return last.length === MAX_UNREADABLE && last.every((step) => step.unreadable !== undefined)
}

function isLooping(run: RunState): boolean {
  const last = run.steps.at(-1)?.action
  return last !== undefined && sameActions(run, last).length >= MAX_SAME_ACTION
}

/**
 * The steps that did exactly this and brought nothing new. Those of a repeatable tool count from where it said that it had
 * nothing more (a lookup's "No more results."), as long as no other tool has run since.
 */
export function sameActions(run: { steps: Step[]; tools: Tool[] }, action: Action): Step[] {
  const key = keyOf(action)
  const same = (steps: Step[]) => steps.filter((step) => step.action && keyOf(step.action) === key)
  if (!run.tools.find((tool) => tool.name === action.tool)?.repeatable) return same(run.steps)
  const other = run.steps.findLastIndex((step) => hasRun(step) && step.action?.tool !== action.tool)
  const since = same(run.steps.slice(other + 1))
  const last = since.findIndex((step) => step.observation?.exhausted)
  return last < 0 ? [] : since.slice(last)
}

/** A tool has done its work in this step. */
function hasRun({ action, observation }: Step): boolean {
  return action !== undefined && observation !== undefined && observation.ok && !observation.hint
}

function keyOf(action: Action): string {
  return `${action.tool}\n${inputText(action.input).trim().toLowerCase()}`
}

/** Milliseconds left for turns that use tools, and for the tools: a part of the run's time is kept for the last answer. */
export function thinkingMs(run: RunState): number {
  const reserve = Math.min(20_000, run.limits.timeoutMs * 0.25)
  return run.startedAt + run.limits.timeoutMs - reserve - run.now().getTime()
}

/** The time of a model call: all that is left on the last call, the thinking time before. */
export function thinkingTime(run: RunState): Deadline {
  const total = run.startedAt + run.limits.timeoutMs - run.now().getTime()
  const ms = run.finalTurn ? Math.max(total, Math.min(5_000, run.limits.timeoutMs)) : thinkingMs(run)
  return new Deadline(run.task.signal, Math.max(1, Math.ceil(ms)))
}
