import { actionTitle } from '../agent/tool-title.ts'
import type { DoneCall } from '../stores/runs/types.ts'

/** The maximum number of lines below an answer. Writes that took effect, or may have, have further ones. */
const MAX_LINES = 10
const MAX_CHANGED = 40

/**
 * Returns the run's real writes from its record, one line per call, so that an answer cannot claim something else.
 * `nameOf` names a person. For a run that could write and did not, a line says that nothing was changed.
 */
export function changeLines(calls: readonly DoneCall[], nameOf: (user: string) => string): string[] {
  if (calls.length === 0) return ['Nothing was changed.']
  // If not all lines fit, the calls without an effect are left out.
  const changed = calls.filter(mayHaveChanged).length
  const isIdle = (call: DoneCall) => Number(!mayHaveChanged(call))
  const shown = calls.length > MAX_LINES ? [...calls].sort((a, b) => isIdle(a) - isIdle(b)) : calls
  const most = Math.max(MAX_LINES, Math.min(changed, MAX_CHANGED))
  const lines = shown.slice(0, most).map((call) => lineOf(call, nameOf))
  const more = calls.length - lines.length
  return more > 0 ? [...lines, `… and ${more} more`] : lines
}

const NOT_KEPT =
  'No reminder or schedule was set, and nothing was remembered or forgotten: that takes a card and your press.'

/** Contradicts an answer that claims what only a card can do. */
export const UNKEPT: DoneCall = { outcome: 'not_run', how: 'promised', tool: 'card', what: '' }

/** Returns whether a call took effect, or may have. */
export function mayHaveChanged({ outcome }: DoneCall): boolean {
  return outcome !== 'not_run' && outcome !== 'failed'
}

function lineOf(done: DoneCall, nameOf: (user: string) => string): string {
  const { outcome, how, what, by } = done
  if (how === 'promised') return NOT_KEPT
  const title = actionTitle(done)
  const call = what === '' ? title : `${what} (${title})`
  const person = by === undefined ? undefined : nameOf(by)
  if (outcome === 'done') return `Changed: ${call}, allowed by ${person ?? 'the settings'}`
  if (outcome === 'failed') return `Not done: ${call} (failed)`
  if (outcome !== 'not_run') return `Unknown whether it took effect: ${call}`
  if (how === 'denied') return `Not done: ${call} (denied by ${person ?? 'somebody'})`
  return `Not done: ${call} (${how === 'expired' ? 'nobody decided in time' : 'not allowed'})`
}
