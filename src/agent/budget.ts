import { Deadline } from './deadline.ts'
import { inputText } from './tool-input.ts'
import type { RunState } from './run-state.ts'
import type { Action, Step, StopReason, Tool } from './types.ts'
import { totalOf } from './usage.ts'

/** After as many unreadable completions in a row, the model is made to answer. */
const MAX_UNREADABLE = 3
/** The same action the second time is answered from memory; the third time ends the run. */
export const MAX_SAME_ACTION = 3

/** Why the next model call must be the last, or undefined while there is budget. */
export function stopReason(run: RunState): StopReason | undefined {
  const { limits, steps } = run
  if (limits.breakLoops !== false && isUnreadable(steps)) return 'unreadable'
  if (limits.breakLoops !== false && isLooping(run)) return 'loop'
  if (new Set(steps.map((step) => step.turn)).size >= limits.maxSteps) return 'steps'
  if (thinkingMs(run) <= 0) return 'time'
  return overspent(run)
}

function overspent({ usage, limits }: RunState): StopReason | undefined {
  const { tokens, costUsd } = totalOf(usage)
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

/** The steps that did exactly this, for tools of which a repetition brings nothing new. */
export function sameActions(run: { steps: Step[]; tools: Tool[] }, action: Action): Step[] {
  if (run.tools.find((tool) => tool.name === action.tool)?.repeatable) return []
  const key = keyOf(action)
  return run.steps.filter((step) => step.action && keyOf(step.action) === key)
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
