import { actionTitle } from '../agent/tool-title.ts'
import type { DoneCall } from '../stores/runs/types.ts'

/** If there are more lines than this, calls without an effect are left out. */
const MAX_LINES = 10
/** No question needs more writes than this. Slack has no room for more lines. */
const MAX_CHANGED = 200

/**
 * Returns the run's real writes from its record, one line per call, so that an answer cannot claim something else.
 * `nameOf` names a person. For a run that could write and did not, a line says that nothing was changed.
 */
export function changeLines(calls: readonly DoneCall[], nameOf: (user: string) => string): string[] {
  if (calls.length === 0) return ['Nothing was changed.']
  const changed = calls.filter(mayHaveChanged).slice(0, MAX_CHANGED)
  const idle = calls.filter((call) => !mayHaveChanged(call)).slice(0, Math.max(0, MAX_LINES - changed.length))
  const shown = new Set([...changed, ...idle])
  const lines = calls.filter((call) => shown.has(call)).map((call) => lineOf(call, nameOf))
  const more = calls.length - lines.length
  return more > 0 ? [...lines, `… and ${more} more`] : lines
}

const NOT_KEPT =
  'No reminder or schedule was set, and nothing was remembered or forgotten. I can do that only after you press a button on a card.'

/** Contradicts an answer that claims what only a card can do. */
export const UNKEPT: DoneCall = { outcome: 'not_run', how: 'promised', tool: 'card', what: '' }

/** Returns whether a call took effect, or may have. */
export function mayHaveChanged({ outcome }: DoneCall): boolean {
  return outcome !== 'not_run' && outcome !== 'failed'
}

function lineOf(done: DoneCall, nameOf: (user: string) => string): string {
  const { outcome, how, what, by, earlier } = done
  if (how === 'promised') return NOT_KEPT
  const title = actionTitle(done)
  const call = what === '' ? title : `${what} (${title})`
  const person = by === undefined ? undefined : nameOf(by)
  if (outcome === 'done' && earlier) return `Changed by an earlier try: ${call}`
  if (outcome === 'done') return `Changed: ${call}, allowed by ${person ?? 'the settings'}`
  if (outcome === 'failed') return `Not done: ${call} (failed)`
  if (outcome !== 'not_run') return `Unknown whether it took effect: ${call}${earlier ? ' in an earlier try' : ''}`
  if (how === 'denied') return `Not done: ${call} (denied by ${person ?? 'somebody'})`
  return `Not done: ${call} (${how === 'expired' ? 'nobody decided in time' : 'not allowed'})`
}
