/** Texts for the card and the form of a tool's question, and replies to presses. */
import { cutText } from '../../base/cut-text.ts'
import type { Decision } from '../../stores/runs/types.ts'
import { escapeText, isBlank } from '../format/escape.ts'

/** The post key of the card. */
export function questionPost(key: string): string {
  return `question-${key}`
}

/** How a wait ended, for the reader of the card. `over`: the run ended before anybody answered. */
export type QuestionEnd = 'accept' | 'decline' | 'cancel' | 'expired' | 'over'

/** Returns how the wait ended; undefined if nothing was decided. */
export function questionEnd(decision: Decision | undefined): QuestionEnd | undefined {
  if (decision?.outcome === 'answered') return decision.action
  return decision && (decision.outcome === 'expired' ? 'expired' : 'over')
}

/** Replies to presses that do not count. */
export const QUESTION_WORDS = {
  gone: 'This question is closed: it expired or was deleted.',
  notYours: 'Only the person who asked me can answer this.',
  failed: 'I could not save your answer. Please try again in a minute.',
  unopened: 'Slack could not open the form. Please press the button again.',
  thanks: 'Thanks, I’m continuing.',
  accept: 'You already answered this. Your first answer counts.',
  decline: 'You already declined this. Your first answer counts.',
  cancel: 'You already answered this. Your first answer counts.',
  expired: 'This came too late. I have continued without your answer.',
  over: 'This question is closed. Nobody is waiting for the answer.',
} as const satisfies Record<string, string>

/** Shown if an answer repeats the call (`ToolQuestion.remakes`). */
export const REMAKES =
  '↻ After your answer, I will repeat this call from the start, so anything it already did may happen twice.'

export const NO_SECRETS = '🔒 Do not enter passwords, keys or card numbers. The server gets your answer.'

export const YES_NO = [
  { value: 'true', title: 'Yes' },
  { value: 'false', title: 'No' },
]

const OPTION = { max: 60, maxEscaped: 75 }

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
  const bareOf = (shown: string) => shown.replace(/\p{DI}/gu, '')
  return options.map(({ value, title }, i) => {
    let shown = optionText(title)
    while (isBlank(shown) || seen.has(bareOf(shown)) || looks.has(lookOf(shown)))
      shown = `${i + 1}. ${cutText(shown, OPTION.max - 6)}`.trim()
    seen.add(bareOf(shown))
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
  let text = line.length > OPTION.max ? `${cutText(line, OPTION.max - 1)}…` : line
  while (escapeText(text).length > OPTION.maxEscaped) text = `${cutText(text, text.length - 2)}…`
  return escapeText(text)
}

/** Removes bidirectional controls and invisible characters. Empty if nothing visible remains. */
export function visible(text: string): string {
  const shown = text.replace(/(?![\n\t])\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '')
  return isBlank(shown) ? '' : shown
}
