/** Decides when a run repeats itself: which calls count as the same, and after how many it must answer. */
import { hasRun } from './partial-answer.ts'
import type { RunState } from './run-state.ts'
import { inputForPeople } from './tool-input.ts'
import type { Action, Step, ToolStep } from './contracts/run-events.ts'

/** The second time, the same action gets its first observation again. The third time, the model must answer. */
const MAX_SAME_ACTION = 3

/** Returns whether the last action was repeated so often, with the same result, that the model must answer. */
export function isLooping(run: RunState): boolean {
  const last = run.progress.steps.findLast((step) => step.kind !== 'unreadable' || !step.isAnswer)
  if (last?.kind !== 'tool') return false
  const { action, begun } = last
  const same = begun === undefined ? sameActions(run, action) : lastInARow(run.progress.steps, action)
  const result = same.findLast(({ observation }) => !observation?.hint)?.observation?.text
  const inVain = same.filter(({ observation }) => observation?.hint || observation?.text === result)
  return inVain.length >= maxSame(run, action)
}

/** Returns the number of times that the model may take this action: one more after turns without the repeated tool. */
export function maxSame({ dialect, progress }: RunState, action: Action): number {
  const isInARow = lastInARow(progress.steps, action).length >= MAX_SAME_ACTION
  return dialect.omitsRepeated && !isInARow ? MAX_SAME_ACTION + 1 : MAX_SAME_ACTION
}

/** The most recent steps that all made this call. */
function lastInARow(steps: readonly Step[], action: Action): ToolStep[] {
  const tools = steps.filter((step) => step.kind === 'tool')
  return tools.slice(tools.findLastIndex((step) => actionKey(step.action) !== actionKey(action)) + 1)
}

/**
 * Returns whether anything else has happened since this step's turn, so that the same call may return something else.
 */
export function hasOtherRunSince(steps: readonly Step[], { turn, action }: ToolStep): boolean {
  const isOther = (step: Step) =>
    step.kind === 'message' ||
    (step.kind === 'tool' &&
      step.observation !== undefined &&
      !step.observation.hint &&
      actionKey(step.action) !== actionKey(action))
  // A person's addition has the turn of the step before it.
  return steps.some((step) => isOther(step) && (step.turn > turn || (step.kind === 'message' && step.turn === turn)))
}

/**
 * The steps with this action that brought nothing new. A call with effects restarts the count, because earlier reads
 * may return something else now. Steps of a repeatable tool count from the one that was exhausted (a lookup's "No more
 * results."), as long as no other tool has run since.
 */
export function sameActions({ progress, tools }: Pick<RunState, 'progress' | 'tools'>, action: Action): ToolStep[] {
  const key = actionKey(action)
  const same = (some: readonly Step[]) =>
    some.filter((step): step is ToolStep => step.kind === 'tool' && actionKey(step.action) === key)
  const { steps } = progress
  if (!tools.find((tool) => tool.name === action.tool)?.repeatable) return same(steps.slice(afterLastWrite(steps)))
  const other = steps.findLastIndex((step) => hasRun(step) && step.action.tool !== action.tool)
  const since = same(steps.slice(other + 1))
  const last = since.findIndex((step) => step.observation?.exhausted)
  return last < 0 ? [] : since.slice(last)
}

function afterLastWrite(steps: readonly Step[]): number {
  return steps.findLastIndex((step) => step.kind === 'tool' && step.begun !== undefined) + 1
}

/** Calls with the same key count as the same. A single text is the same with and without its field's name. */
export function actionKey(action: Action): string {
  return `${action.tool}\n${inputForPeople(action.input).trim().toLowerCase()}`
}
