/** The arguments of a leaked call, in the forms of its vendors. */
import { digitsOf, parseExact } from '../../base/parse-json.ts'
import { readLoose } from './loose-json.ts'
import { matchAt, skipSpace, tidy } from './text-lines.ts'

/** The input of a leaked call and where it ends. Not ok if it is incomplete. */
export type LeakedInput = { ok: true; input: unknown; end: number } | { ok: false }

const PREFIX = '(?:[a-z]{1,12}:|\\w{1,16}_|[|｜]DSML[|｜])?'
/** An argument as an element: the key is in the opening tag, or in an element before the value. */
const ELEMENT = new RegExp(
  `<${PREFIX}(?:parameter|param|argument|arg)(?:=["']?(?<equal>[^<>"'\\n]{1,60})["']?|\\s[^<>\\n]{0,40}?(?:name|key)=["'](?<named>[^<>"'\\n]{1,60})["'][^<>\\n]{0,60})>` +
    `|<${PREFIX}arg_key>\\s{0,9}(?<key>[^<>\\n]{1,60}?)\\s{0,9}</${PREFIX}arg_key>\\s{0,9}:?\\s{0,9}<${PREFIX}arg_value>` +
    '|<(?!(?:\\w{1,16}_)?(?:arg_key|arg_value|parameter|param|arg|argument)>)(?<tag>[a-z_]{1,60})>',
  'iuy',
)
const WRAP =
  /(?:\s{0,9}<(?:parameters|arguments|args|params|tool_input|action_input|input)>)?\s{0,20}(?:`{3}(?:json)?\s{0,9})?/iuy
const AFTER = /\s{0,20}(?:`{3}\s{0,9})?/y
/** Gemma's quotes around text. */
const GEMMA = /<escape>|<\|"\|>/g

/**
 * Reads the arguments of a call at `at`: a JSON object, elements, or plain text up to the end of the call. Undefined if
 * there are none.
 */
export function readFields(text: string, at: number, closes: string): LeakedInput | undefined {
  const start = at + (matchAt(WRAP, text, at)?.[0].length ?? 0)
  if (text[start] === '{') return readObject(text, start)
  const elements = readElements(text, start)
  if (elements?.ok && isBrokenBehind(text, elements.end, closes)) return { ok: false }
  if (elements) return elements
  const close = new RegExp(closes, 'giu')
  close.lastIndex = start
  const match = close.exec(text)
  if (!match) return closes === '(?!)' ? undefined : { ok: false }
  const input = tidy(text.slice(start, match.index)).replace(/\s{0,9}`{3}$/, '')
  if (HALF_ARGUMENT.test(input) || holdsHalfElement(input)) return { ok: false }
  return { ok: true, input: input === '' ? {} : input, end: Math.max(start, close.lastIndex) }
}

/**
 * Returns whether another argument is lost behind the last one, or may be: it was cut off in its opening tag, or the
 * text ends before any other tag.
 */
function isBrokenBehind(text: string, at: number, closes: string): boolean {
  const close = new RegExp(closes, 'giu')
  close.lastIndex = at
  const behind = text.slice(at, close.exec(text)?.index ?? Math.min(text.length, at + MAX_CHARS))
  if (!/<\/|<[|｜]/.test(text.slice(at))) return true
  const lost = behind.slice(0, matchAt(CLOSING, behind, 0)?.index ?? 0)
  return /^\s{0,20}<(?!\/)[^<>]*$/.test(behind) || lost.trim() !== ''
}

/** Returns whether plain text holds one half of an element: a part of another argument, or of another call. */
function holdsHalfElement(text: string): boolean {
  if (!text.includes('<')) return false
  const closed = [...text.matchAll(/<\/([\w:.-]{1,60})>/g)]
  const [first] = closed
  const names = new Set(closed.map(([, name]) => name))
  const opened = [...text.matchAll(/^[ \t]{0,8}<([\w:.-]{1,60})(?:[\s=][^<>\n]{0,100})?>/gm)]
  if (opened.some(([, name = '']) => !VOID.test(name) && !names.has(name))) return true
  return first !== undefined && !text.slice(0, first.index).includes(`<${first[1]}`)
}

/** Elements of HTML that are often not closed. */
const VOID = /^(?:br|hr|img|input|meta|link|p|li|t[dhr]|d[td]|option)$/i

function readObject(text: string, start: number): LeakedInput | undefined {
  const loose = readLoose(text, start)
  if (loose.ok)
    return { ok: true, input: loose.value, end: loose.end + (matchAt(AFTER, text, loose.end)?.[0].length ?? 0) }
  const gemma = gemmaObject(text, start)
  return gemma ?? (loose.cut ? { ok: false } : undefined)
}

/** Reads `{query:<escape>x<escape>}`: marks enclose the texts, so quotes inside are literal. */
function gemmaObject(text: string, start: number): LeakedInput | undefined {
  const body = text.slice(start, start + MAX_CHARS)
  const pieces = body.split(GEMMA)
  const end = pieces.findIndex((piece, i) => i % 2 === 0 && i > 0 && piece.includes('}'))
  if (end < 0) return undefined
  const json = pieces.slice(0, end + 1).map((piece, i) => (i % 2 === 0 ? piece : JSON.stringify(piece)))
  const loose = readLoose(json.join(''))
  if (!loose.ok) return undefined
  const mark = [...body.matchAll(GEMMA)][end - 1]
  const lastAt = (mark?.index ?? 0) + (mark?.[0].length ?? 0)
  return { ok: true, input: loose.value, end: start + body.indexOf('}', lastAt) + 1 + nested(pieces[end] ?? '') }
}

/** How far behind the first brace of the last piece the object ends. */
function nested(piece: string): number {
  const first = piece.indexOf('}')
  return (/^[\s}\],:\w.-]*\}/.exec(piece.slice(first))?.[0].length ?? 1) - 1
}

/** The longest arguments in this form, in characters. */
const MAX_CHARS = 20_000

/** Reads consecutive elements. Undefined if there are none, not ok if one is not closed. */
function readElements(text: string, start: number): LeakedInput | undefined {
  const fields: [string, unknown][] = []
  let at = start
  for (;;) {
    const element = matchAt(ELEMENT, text, skipSpace(text, at))
    const { equal, named, key, tag } = element?.groups ?? {}
    const name = equal ?? named ?? key ?? tag
    if (!element || name === undefined) break
    const valueAt = element.index + element[0].length
    const close = closing(text, valueAt, { tag, name: name.trim() })
    if (!close) return tag ? undefined : { ok: false }
    fields.push([name.trim(), valueOf(text.slice(valueAt, close.at))])
    at = close.end
  }
  return fields.length > 0 ? { ok: true, input: Object.fromEntries(fields), end: at } : undefined
}

const CLOSING = new RegExp(`</${PREFIX}(?:parameter|param|argument|arg|arg_value)>`, 'giu')

/**
 * Where a value ends: at its closing tag, at one of its own name that another part of the call follows, or where the
 * next argument begins on a new line. Undefined if it does not end before an argument that begins inside it.
 */
function closing(
  text: string,
  from: number,
  { tag, name }: { tag: string | undefined; name: string },
): { at: number; end: number } | undefined {
  if (text.startsWith(CDATA, from)) return cdataEnd(text, from)
  const pattern = tag === undefined ? CLOSING : new RegExp(`</${tag}>`, 'g')
  const match = matchAt(pattern, text, from)
  if (tag !== undefined) return match ? { at: match.index, end: pattern.lastIndex } : undefined
  const value = text.slice(from, match?.index ?? Math.min(text.length, from + MAX_CHARS))
  const next = NEXT_ARGUMENT.exec(value)
  const own = value.indexOf(`</${name}>`)
  const after = own + name.length + 3
  if (own >= 0 && matchAt(FOLLOWS, text, from + after)) return { at: from + own, end: from + after }
  if (next) return next[0].startsWith('\n') ? { at: from + next.index, end: from + next.index } : undefined
  return match ? { at: match.index, end: match.index + match[0].length } : undefined
}

/** A piece of an argument where plain text should be. */
const HALF_ARGUMENT = new RegExp(`^</?${PREFIX}(?:parameter|param|argument|arg|arg_key|arg_value)\\b`, 'iu')

/** An argument that begins inside another's value. */
const NEXT_ARGUMENT = new RegExp(
  `\\n?[ \\t]{0,8}<${PREFIX}(?:parameter|param|argument|arg)(?:=[^<>"'\\n]{1,60}|\\s[^<>\\n]{0,40}?(?:name|key)=["'][^<>\\n]{1,120})>|\\n?[ \\t]{0,8}<${PREFIX}arg_key>`,
  'iu',
)
/** What follows an argument: the next one, or the end of the call. */
const FOLLOWS = new RegExp(`\\s{0,20}</?${PREFIX}(?:parameter|param|argument|arg|invoke|function|tool_call)`, 'iuy')

const CDATA = '<![CDATA['

/** The end of a value in a CDATA section, behind its closing tag. */
function cdataEnd(text: string, from: number): { at: number; end: number } | undefined {
  const end = text.indexOf(']]>', from)
  const close = end < 0 ? null : matchAt(CLOSING, text, end)
  return close && text.slice(end + 3, close.index).trim() === '' ? { at: end + 3, end: CLOSING.lastIndex } : undefined
}

/**
 * Reads a value as text, without line breaks at its ends, or as JSON of another type. A number stays text if JSON would
 * change how it is written (`1.50`, an id of twenty digits).
 */
function valueOf(written: string): unknown {
  if (written.startsWith(CDATA)) return written.slice(CDATA.length, -']]>'.length)
  const text = written.replace(/^\n|\n$/g, '')
  if (!/^\s{0,20}(?:[{[]|-?\d|true\b|false\b|null\b)/.test(text)) return text
  const value = parseExact(text)
  const isChanged = value === undefined || digitsOf(value) !== undefined
  return isChanged ? text : value
}
