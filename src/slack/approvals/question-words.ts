/** Texts for the card and the form of a tool's question, and replies to presses. */
import type { Decision } from '../../stores/runs/types.ts'
import { escapeText, headOf, isBlank } from '../format/escape.ts'

/** The post key of the card. */
export function questionPost(key: string): string {
  return `question-${key}`
}

/** How a wait ended, for the reader of the card. `over`: the run ended before anybody answered. */
export type QuestionEnd = 'accept' | 'decline' | 'cancel' | 'expired' | 'over'

export function questionEnd(decision: Decision | undefined): QuestionEnd | undefined {
  if (decision?.outcome === 'answered') return decision.action
  return decision && (decision.outcome === 'expired' ? 'expired' : 'over')
}

/** Replies to presses that do not count. */
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

/** Shown if an answer repeats the call (`ToolQuestion.remakes`). */
export const REMAKES =
  '↻ With your answer I make this call a second time, from its beginning: what it may have done by now is done again.'

export const NO_SECRETS = '🔒 Do not type passwords, keys or card numbers here: the server gets what you answer.'

export const YES_NO = [
  { value: 'true', title: 'Yes' },
  { value: 'false', title: 'No' },
]

const OPTION = { max: 60, most: 75 }

/**
 * Shortens options for Slack's menus and buttons and escapes them. An option that would look like another one, or like
 * one of `taken`, gets its number.
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

/** Normalizes a text so that case, width, marks and blanks do not matter. */
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

/** Removes bidirectional controls and invisible characters. Empty if nothing visible remains. */
export function visible(text: string): string {
  const shown = text.replace(/(?![\n\t])\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '')
  return isBlank(shown) ? '' : shown
}
