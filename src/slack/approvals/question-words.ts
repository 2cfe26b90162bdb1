/** What the card of a tool's question, its form, and the answers to presses say. */
import type { Decision } from '../../stores/runs/types.ts'
import { escapeText, headOf, isBlank } from '../format/escape.ts'

/** The key of the card's post. */
export function questionPost(key: string): string {
  return `question-${key}`
}

/** How a wait has ended, for who reads the card. `over`: the run ended before anybody answered. */
export type QuestionEnd = 'accept' | 'decline' | 'cancel' | 'expired' | 'over'

export function questionEnd(decision: Decision | undefined): QuestionEnd | undefined {
  if (decision?.outcome === 'answered') return decision.action
  return decision && (decision.outcome === 'expired' ? 'expired' : 'over')
}

/** What is said to who presses what they may not, or not any more. */
export const QUESTION_WORDS = {
  gone: 'This question is not kept any more: it was forgotten, or its time is over.',
  notYours: 'Only the person who asked me can answer this.',
  failed: 'Your answer could not be kept just now. Please try again in a minute.',
  unopened: 'Slack did not let me show the form. Please press the button again.',
  thanks: 'Thank you. I go on.',
  accept: 'You have answered this already. The first answer holds.',
  decline: 'You have declined this already. The first answer holds.',
  cancel: 'You have answered this already. The first answer holds.',
  expired: 'This came too late: the time for an answer is over, and I have gone on without one.',
  over: 'This is over: nobody waits for this answer any more.',
} as const satisfies Record<string, string>

/** Where the call is made anew (`ToolQuestion.remakes`). */
export const REMAKES =
  '↻ With your answer I make this call a second time, from its beginning: what it may have done by now is done again.'

export const NO_SECRETS = '🔒 Do not type passwords, keys or card numbers here: the server gets what you answer.'

export const YES_NO = [
  { value: 'true', title: 'Yes' },
  { value: 'false', title: 'No' },
]

const OPTION = { max: 60, most: 75 }

/**
 * Options as they fit into Slack's menus and buttons: what would look the same as another, or as one of `taken`, gets its number.
 * Escaped.
 */
export function distinct(
  options: readonly { value: string; title: string }[],
  taken: readonly string[] = [],
): { value: string; title: string }[] {
  const seen = new Set<string>()
  const looks = new Set(taken.map(lookOf))
  const formOf = (shown: string) => shown.replace(/\p{DI}/gu, '')
  return options.map(({ value, title }, i) => {
    let shown = optionText(title)
    while (isBlank(shown) || seen.has(formOf(shown)) || looks.has(lookOf(shown)))
      shown = `${i + 1}. ${headOf(shown, OPTION.max - 6)}`.trim()
    seen.add(formOf(shown))
    return { value, title: shown }
  })
}

/** What case, width, marks and blanks do not change. */
function lookOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+|\p{DI}/gu, '')
    .toLowerCase()
}

function optionText(title: string): string {
  const line = visible(title).replace(/\s+/g, ' ').trim()
  let text = line.length > OPTION.max ? `${headOf(line, OPTION.max - 1)}…` : line
  while (escapeText(text).length > OPTION.most) text = `${headOf(text, text.length - 2)}…`
  return escapeText(text)
}

/** Without what turns the direction of writing around, or has no form; empty where nobody would see anything. */
export function visible(text: string): string {
  const shown = text.replace(/(?![\n\t])\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '')
  return isBlank(shown) ? '' : shown
}
