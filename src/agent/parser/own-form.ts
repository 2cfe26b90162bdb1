/** Whether calls are written as a prompt teaches them, and not in the form of another model. */
import { modelOutputOf } from './model-output.ts'
import { holdsMarkup } from './written-calls.ts'

/** Returns whether an action is labelled. */
export function isLabelled(written: string): boolean {
  return LABEL.test(written) || modelOutputOf(written, []).sections.some(({ name }) => name === 'action')
}

/** A label in the middle of a line. */
const LABEL = /\bAction(?: ?\d{1,3})? ?[:：]/

/** Returns whether an action is JSON, or labelled. */
export function isJsonOrLabelled(written: string): boolean {
  return (written.includes('{') && !holdsMarkup(written)) || isLabelled(written)
}
