import type { DoneCall } from '../stores/runs/types.ts'

/** At most so many lines are shown below an answer. */
const MAX_LINES = 10

/**
 * Returns what a run has really written, one line per call, from its record: an answer that claims something else is
 * contradicted. `nameOf` names a person. A run that could write and did not says that nothing was changed.
 */
export function doneLines(calls: readonly DoneCall[], nameOf: (user: string) => string): string[] {
  if (calls.length === 0) return ['Nothing was changed.']
  // Where not all are shown, those that did not take effect are.
  const isDone = ({ outcome }: DoneCall) => Number(outcome === 'done')
  const shown = calls.length > MAX_LINES ? [...calls].sort((a, b) => isDone(a) - isDone(b)) : calls
  const lines = shown.slice(0, MAX_LINES).map((call) => lineOf(call, nameOf))
  const more = calls.length - lines.length
  return more > 0 ? [...lines, `… and ${more} more`] : lines
}

function lineOf({ outcome, how, tool, what, by }: DoneCall, nameOf: (user: string) => string): string {
  const call = what === '' ? tool : `${what} (${tool})`
  const person = by === undefined ? undefined : nameOf(by)
  if (outcome === 'done') return `Changed: ${call}, allowed by ${person ?? 'the settings'}`
  if (outcome === 'failed') return `Not done: ${call} (failed)`
  if (outcome !== 'not_run') return `Unknown whether it took effect: ${call}`
  if (how === 'denied') return `Not done: ${call} (denied by ${person ?? 'somebody'})`
  return `Not done: ${call} (${how === 'expired' ? 'nobody decided in time' : 'not allowed'})`
}
