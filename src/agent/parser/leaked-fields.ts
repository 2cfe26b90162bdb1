import { readLoose } from './loose-json.ts'
import { isSpace, tidy } from './trim.ts'

/** What a leaked call hands to its tool, and where it ends; not ok where it breaks off. */
export type Fields = { ok: true; input: unknown; end: number } | { ok: false }

/** A call as it leaked. */
export type LeakedCall = { at: number; end: number } & (
  | { ok: true; tool: string; input: unknown }
  /** The call was begun and breaks off. */
  | { ok: false }
)

const PREFIX = '(?:[a-z]{1,12}:|\\w{1,16}_|[|｜]DSML[|｜])?'
/** An argument in elements: the key in the opening tag, or in an element before the value's. */
const ELEMENT = new RegExp(
  `<${PREFIX}(?:parameter|param|argument|arg)(?:=["']?(?<equal>[^<>"'\\n]{1,60})["']?|\\s[^<>\\n]{0,40}?name=["'](?<named>[^<>"'\\n]{1,60})["'][^<>\\n]{0,60})>` +
    `|<${PREFIX}arg_key>\\s{0,9}(?<key>[^<>\\n]{1,60}?)\\s{0,9}</${PREFIX}arg_key>\\s{0,9}<${PREFIX}arg_value>` +
    '|<(?<tag>[a-z_]{1,60})>',
  'iuy',
)
const WRAP =
  /(?:\s{0,9}<(?:parameters|arguments|args|params|tool_input|action_input|input)>)?\s{0,20}(?:`{3}(?:json)?\s{0,9})?/iuy
const AFTER = /\s{0,20}(?:`{3}\s{0,9})?/y
/** Gemma's quotes around a text. */
const GEMMA = /<escape>|<\|"\|>/g

/**
 * Reads the arguments of a call from `at`: a JSON object, elements, or plain text up to what ends the call. Undefined where
 * there is nothing of the kind.
 */
export function readFields(text: string, at: number, closes: string): Fields | undefined {
  const start = at + (matchAt(WRAP, text, at)?.[0].length ?? 0)
  if (text[start] === '{') return readObject(text, start)
  const elements = readElements(text, start)
  if (elements) return elements
  const close = new RegExp(closes, 'giu')
  close.lastIndex = start
  const match = close.exec(text)
  if (!match) return closes === '(?!)' ? undefined : { ok: false }
  const input = tidy(text.slice(start, match.index))
  return { ok: true, input: input === '' ? {} : input, end: Math.max(start, close.lastIndex) }
}

function readObject(text: string, start: number): Fields | undefined {
  const loose = readLoose(text, start)
  if (loose.ok)
    return { ok: true, input: loose.value, end: loose.end + (matchAt(AFTER, text, loose.end)?.[0].length ?? 0) }
  const gemma = gemmaObject(text, start)
  return gemma ?? (loose.cut ? { ok: false } : undefined)
}

/** `{query:<escape>x<escape>}`: texts stand between marks of their own, so quotes in them are theirs. */
function gemmaObject(text: string, start: number): Fields | undefined {
  const pieces = text.slice(start, start + MOST_CHARS).split(GEMMA)
  const end = pieces.findIndex((piece, i) => i % 2 === 0 && i > 0 && piece.includes('}'))
  if (end < 0) return undefined
  const json = pieces.slice(0, end + 1).map((piece, i) => (i % 2 === 0 ? piece : JSON.stringify(piece)))
  const loose = readLoose(json.join(''))
  return loose.ok
    ? { ok: true, input: loose.value, end: start + pieces.slice(0, end + 1).join('<escape>').length }
    : undefined
}

/** No call has longer arguments in this form. */
const MOST_CHARS = 20_000

/** Elements one after the other; undefined where there are none, not ok where one is not closed. */
function readElements(text: string, start: number): Fields | undefined {
  const fields: [string, unknown][] = []
  let at = start
  for (;;) {
    const element = matchAt(ELEMENT, text, skipSpace(text, at))
    const { equal, named, key, tag } = element?.groups ?? {}
    const name = equal ?? named ?? key ?? tag
    if (!element || name === undefined) break
    const valueAt = element.index + element[0].length
    const close = closing(text, valueAt, tag)
    if (!close) return tag ? undefined : { ok: false }
    fields.push([name.trim(), valueOf(text.slice(valueAt, close.at))])
    at = close.end
  }
  return fields.length > 0 ? { ok: true, input: Object.fromEntries(fields), end: at } : undefined
}

const CLOSING = new RegExp(`</${PREFIX}(?:parameter|param|argument|arg|arg_value)>`, 'giu')

function closing(text: string, from: number, tag: string | undefined): { at: number; end: number } | undefined {
  if (tag !== undefined) {
    const at = text.indexOf(`</${tag}>`, from)
    return at < 0 ? undefined : { at, end: at + tag.length + 3 }
  }
  CLOSING.lastIndex = from
  const match = CLOSING.exec(text)
  return match ? { at: match.index, end: CLOSING.lastIndex } : undefined
}

/** A value as its text, without the line breaks at its ends; one that is JSON of another kind is that value. */
function valueOf(written: string): unknown {
  const text = written.replace(/^\n/, '').replace(/\n$/, '')
  if (!/^\s{0,20}(?:[{[]|-?\d|true\b|false\b|null\b)/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text[at] ?? '')) at++
  return at
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}
