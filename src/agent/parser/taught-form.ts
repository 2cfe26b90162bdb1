/** Tells calls that are written as a prompt teaches them from those in the form of another model. */
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

/**
 * The sentences before a turn that begins with a labelled thought, without other labels. Undefined if there are none.
 */
export function proseBeforeTurn(written: string): string | undefined {
  const { text, sections } = modelOutputOf(written, [])
  const [first] = sections
  const prose = first?.name === 'thought' ? text.slice(0, first.at).replace(OTHER_LABEL, '').trim() : ''
  return SENTENCE_END.test(prose) ? prose : undefined
}

const OTHER_LABEL = /^[^\S\n]*[\p{L} ]{1,20}\d{0,3} ?[:：][^\n]*$/gmu
const SENTENCE_END = /[\p{Sentence_Terminal}…]["'”’»)]{0,2}$/u
