import type { Reading } from '../types.ts'

/** What a reader found in a turn, before it becomes a Reading. `at` is where in the turn it begins. */
export type Found =
  | { kind: 'action'; at: number; thought: string; tool: string; input: unknown }
  | { kind: 'finish'; at: number; thought: string; answer: string }
  /** Something was begun that cannot be read; `what` completes "it could not be read: …". */
  | { kind: 'fault'; at: number; thought: string; what: string }

/** The Reading of what was found; where nothing was, or nothing whole, a hint that says so and shows the expected form. */
export function toReading(found: Found | undefined, expected: { form: string; thought: string }): Reading {
  if (found?.kind === 'action') {
    return { kind: 'actions', thought: found.thought, actions: [{ tool: found.tool, input: found.input }] }
  }
  if (found?.kind === 'finish') return { kind: 'finish', thought: found.thought, answer: found.answer }
  const what = found?.what ?? 'it names neither an action nor a final answer'
  return {
    kind: 'unreadable',
    thought: found?.thought ?? expected.thought,
    hint: `That reply could not be read: ${what}. ${expected.form}`,
  }
}
