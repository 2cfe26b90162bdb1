/** Cleans a server's texts about its tools before a model reads them, and reports what looks like an attack. */
import { defused } from '../../agent/observation.ts'

/**
 * `hidden`: invisible characters; `long`: over the limit; `labels`: lines or tokens that imitate the prompt. All three
 * are removed. Hidden characters also make a tool suspect, because they are not meant for readers.
 */
export type TextFault = 'hidden' | 'long' | 'labels'

/** Joined emoji and keycaps. Their joiners are visible, so they are not hidden text. */
const EMOJI =
  '\\p{Extended_Pictographic}[\\u{1f3fb}-\\u{1f3ff}\\ufe0f]?(?:\\u200d\\p{Extended_Pictographic}[\\u{1f3fb}-\\u{1f3ff}\\ufe0f]?){0,5}|[\\d#*]\\ufe0f?\\u20e3'
/** Harmless leftovers of encodings and line breaks from text tools. */
const LEFT_BEHIND = '[\\ufeff\\u00ad\\r]'
/** Zero-width, bidirectional and control characters, tags, fillers, variation selectors, lone surrogates. */
const HIDDEN =
  '[\\p{Cc}\\p{Cf}\\p{Cs}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2028\\u2029\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0\\u{e0000}-\\u{e0fff}]'
const UNSEEN = new RegExp(`(${EMOJI}|[\\n\\t])|${LEFT_BEHIND}|(${HIDDEN})`, 'gu')

/** Returns at most `max` characters, without hidden ones and without anything that imitates the prompt. */
export function cleanText(text: string, max: number): { text: string; faults: TextFault[] } {
  const faults: TextFault[] = []
  const seen = text.slice(0, 4 * max).replace(UNSEEN, (_, kept?: string, hidden?: string) => {
    if (hidden !== undefined && !faults.includes('hidden')) faults.push('hidden')
    return kept ?? ''
  })
  if (text.length > 4 * max || seen.length > max) faults.push('long')
  const shown = cut(seen, max)
  const harmless = defused(shown)
  if (harmless !== shown) faults.push('labels')
  return { text: harmless.trim(), faults }
}

/** Truncates to `max` characters with an ellipsis, and never splits a surrogate pair. */
export function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…` : text
}

const BRIEF_CHARS = 100

/** Returns the first sentence of a description, or as much of it as fits into a line. */
export function briefOf(description: string): string {
  const line = description.replace(/\s+/g, ' ').trim()
  const first = /^.{10,}?[.!?](?=\s+\p{Lu}|$)/u.exec(line.slice(0, 2 * BRIEF_CHARS))?.[0] ?? line
  return cut(first, BRIEF_CHARS)
}

/** Returns whether a name contains invisible characters. */
export function hasHidden(name: string): boolean {
  return cleanText(name, name.length).faults.includes('hidden')
}

const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_.-]*/gu
/** Forms that occur only in names: `send_message`, `read-file`, `createIssue`. */
const MADE_UP = /[_.-]|\p{Ll}\p{Lu}/u

/**
 * Returns the first name of another server's tool that a text mentions (shadowing). A name that is an ordinary word
 * counts only if it is quoted or called a tool. Takes linear time.
 */
export function namesOther(text: string, others: ReadonlySet<string>): string | undefined {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const name = word.replace(/[.-]+$/, '')
    if (!others.has(name)) continue
    if (MADE_UP.test(name) || isCalledTool(text, index, index + name.length)) return name
  }
  return undefined
}

function isCalledTool(text: string, from: number, to: number): boolean {
  const quotes = ['``', '""', "''", '“”', '‘’', '<>', '[]']
  if (quotes.includes(`${text[from - 1] ?? ''}${text[to] ?? ''}`)) return true
  return /^\s{0,3}(?:\(\)|tool\b|function\b)/i.test(text.slice(to, to + 14))
}
