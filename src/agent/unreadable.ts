/** What becomes of a completion that cannot be used: the model is told why, and shown what it wrote. */
import { nextTurn, type RunState } from './run-state.ts'
import type { Completion, ParsedTurn, UnreadableStep } from './types.ts'

/**
 * What can be used of a completion that was cut off at its length limit: an answer, which is then marked as cut off, and an
 * action whose input is JSON that could be read. A plain-text input may be cut in half, and a tool must not run on that.
 */
export function wholeOf(reading: ParsedTurn, { cutOff }: Completion): ParsedTurn {
  if (cutOff !== 'length' || reading.kind === 'finish') return reading
  if (reading.kind === 'unreadable') return { ...reading, hint: `${TOO_LONG} ${reading.hint}` }
  const isHalf = reading.actions.some(({ input }) => typeof input === 'string')
  return isHalf ? { kind: 'unreadable', thought: reading.thought, hint: `${TOO_LONG} Write your turn again.` } : reading
}

const TOO_LONG = 'Your output was cut off because it was too long: be shorter.'

/** The step that a completion becomes of which nothing can be read; its observation is the dialect's hint. */
export function unreadableStep(run: RunState, { thought, hint }: ParsedTurn & { kind: 'unreadable' }): UnreadableStep {
  const text = run.written.slice(0, UNREADABLE_CHARS)
  return { kind: 'unreadable', turn: nextTurn(run), thought, text, observation: { ok: false, text: hint } }
}

/** How much of an unreadable completion the model is shown again. */
const UNREADABLE_CHARS = 1000
