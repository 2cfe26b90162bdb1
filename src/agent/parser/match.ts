import type { ParsedTurn } from '../types.ts'
import { thoughtBefore } from './sections.ts'
import type { ModelOutput } from './model-output.ts'

/** What a reader found in a turn, before it becomes a Reading. `at` is where in the turn it begins. */
export type Match = Place &
  (
    | { kind: 'action'; tool: string; input: unknown }
    | { kind: 'finish'; answer: string }
    /** Something was begun that cannot be read; `what` completes "it could not be read: …". */
    | { kind: 'fault'; what: string }
  )

interface Place {
  at: number
  thought: string
}

/** The value of an input, or what is wrong with it. */
export type Payload = { ok: true; input: unknown } | { ok: false; what: string }

/** The action at `at`, or the fault in its input. */
export function actionAt(turn: ModelOutput, at: number, { tool, payload }: { tool: string; payload: Payload }): Match {
  if (!payload.ok) return faultAt(turn, at, payload.what)
  return { kind: 'action', ...placeOf(turn, at), tool, input: payload.input }
}

/** The answer given at `at`. An empty one is none. */
export function answerAt(turn: ModelOutput, at: number, answer: string): Match {
  return answer === '' ? faultAt(turn, at, 'its answer is empty') : { kind: 'finish', ...placeOf(turn, at), answer }
}

/** Something was begun at `at` that cannot be read. */
export function faultAt(turn: ModelOutput, at: number, what: string): Match {
  return { kind: 'fault', ...placeOf(turn, at), what }
}

function placeOf({ text, sections }: ModelOutput, at: number): Place {
  return { at, thought: thoughtBefore(text, sections, at) }
}

/** Whichever of two can be acted on, the earlier where both can. */
export function firstOf(one: Match | undefined, other: Match | undefined): Match | undefined {
  if (!one || !other) return one ?? other
  if ((one.kind === 'fault') !== (other.kind === 'fault')) return one.kind === 'fault' ? other : one
  return one.at <= other.at ? one : other
}

const JSON_BEGINS = /^[ \t`~\\[]*(?:json)?[ \t]*\{/m

/**
 * The Reading of what was found. Where nothing was, or nothing whole, its hint says so and shows the expected form; the
 * thought is then the prose before any JSON.
 */
export function toReading(found: Match | undefined, turn: ModelOutput, form: string): ParsedTurn {
  if (found?.kind === 'action') {
    return { kind: 'actions', thought: found.thought, actions: [{ tool: found.tool, input: found.input }] }
  }
  if (found?.kind === 'finish') return { kind: 'finish', thought: found.thought, answer: found.answer }
  const json = turn.text.search(JSON_BEGINS)
  const thought = found?.thought ?? thoughtBefore(turn.text, turn.sections, json < 0 ? turn.text.length : json)
  return { kind: 'unreadable', thought, hint: `That reply could not be read: ${found?.what ?? missing(turn)}. ${form}` }
}

function missing(turn: ModelOutput): string {
  const said = turn.text.trim() !== ''
  return said ? 'it names neither an action nor a final answer' : 'it is empty, or begins with what only a tool may say'
}
