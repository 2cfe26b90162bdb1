import { decodeHTMLStrict } from 'entities'
import { cutText } from '../../base/cut-text.ts'

/**
 * Escapes text for mrkdwn. Slack's control sequences (`<!channel>`, `<@U…>`, `<#C…>`, `<https://…>`) begin with `<`;
 * escaped, they ping nobody. See https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? char)
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export function unescapeText(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => (name === 'amp' ? '&' : name === 'lt' ? '<' : '>'))
}

/**
 * Decodes HTML's named references once: `&amp;rarr;` becomes `&rarr;`. The result must be escaped again. A reference to
 * a mark of Markdown stays, every kind of space is an ordinary one, and invisible characters are dropped.
 */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#39|[a-z][a-z\d]{1,7});/gi, (entity) => {
    const char = decodeHTMLStrict(entity).replace(/\s/g, ' ').replace(INVISIBLE, '')
    return /^[!-~]/.test(char) && !DECODED.has(entity) ? entity : char
  })
}

const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064]/g
/** The references to ASCII signs that are decoded. */
const DECODED = new Set(['&amp;', '&lt;', '&gt;', '&quot;', '&apos;', '&#39;'])

/**
 * Applied to every string of every argument that is sent to Slack. A control sequence that would ping anybody outside
 * `mayPing` (usually the asker) becomes text; already escaped text does not match. Characters that no request can carry
 * are replaced (half a surrogate pair) or removed (control characters). The text elements of `rich_text` keep their
 * control sequences: Slack does not read them there and would show an entity as it is written.
 */
export function sanitize<T>(value: T, mayPing: string | readonly string[] = []): T {
  if (typeof value === 'string') return sanitizeText(value, [mayPing].flat()) as T
  if (Array.isArray(value)) return value.map((item: unknown) => sanitize(item, mayPing)) as T
  if (typeof value !== 'object' || value === null) return value
  if ('type' in value && value.type === 'text' && 'text' in value && typeof value.text === 'string')
    return { ...value, text: carriable(value.text) }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sanitize(item, mayPing)])) as T
}

function sanitizeText(text: string, mayPing: readonly string[]): string {
  const sent = carriable(text)
  const pings = mayPing.filter((user) => user !== '').map((user) => `<@${user}>`)
  return sent.replace(/<(?=[!@#])/g, (lt, at: number) =>
    pings.some((ping) => sent.startsWith(ping, at)) ? lt : '&lt;',
  )
}

function carriable(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd').replace(/(?![\t\n])\p{Cc}/gu, '')
}

/** A code span on one line. Backticks inside would end it, so they become look-alikes. Empty if the text is blank. */
export function codeSpan(text: string, max = Infinity): string {
  const line = text
    .split('\n', MAX_LINES)
    .map((part) => part.trim())
    .join(' ')
    .replaceAll('`', 'ˋ')
  return isBlank(line) ? '' : `\`${escapeWithin(line, { max, maxEscaped: MAX_SPAN })}\``
}

/**
 * Replaces Slack's marks with look-alikes, for data in a place that Slack formats: marks of bold, italics, strike,
 * code, quotes and emoji stay visible as text.
 */
export function withVisibleMarks(text: string): string {
  return text
    .replace(/[*_~`]/g, (mark) => LOOK_ALIKES[mark] ?? mark)
    .replace(/^([ \t]*)(?:>|&gt;)/gm, '$1›')
    .replace(/:(?=[a-z][\w+-]{0,80}:)/gi, '∶')
}

const LOOK_ALIKES: Record<string, string> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ˋ' }

/** Breaks links and mail addresses with a zero-width space, for a field that Slack may read as Markdown. */
export function withoutLinks(text: string): string {
  return text
    .replace(/:(?=\/\/)|\b(?:www|mailto|tel)(?=[.:])|\](?=[([:])|[\w-]@(?=[\w-])/gi, '$&\u200b')
    .replace(/([a-z\d-]\.)(?=[a-z]{2,24}(?![a-z]))/gi, '$1\u200b')
}

/**
 * One line of text for a field that Slack neither formats nor unescapes, such as a table's cell. Nothing in it looks
 * like a ping, and a zero-width space breaks web addresses. Mail addresses and file names stay unchanged so that people
 * can copy them.
 */
export function plainLine(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .replace(/<(?=[!@#])/g, '‹')
  return line.replace(/\S+/g, (word) => (WEB_ADDRESS.test(word) ? withoutLinks(word) : word))
}

/** A scheme or www, or a host with something after it. */
const WEB_ADDRESS = /\/\/|www\.|\.[a-z]{2,24}[/:?#]/i

const MAX_SPAN = 2000
const MAX_LINES = 2000

/** Returns whether a text is invisible: spaces, line ends, and invisible characters such as a zero-width space. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text)
}

/** Cuts at `max` characters, not inside a surrogate pair, and says how much is missing. Up to 10% over is not cut. */
export function shorten(text: string, max: number): string {
  if (text.length <= max * 1.1) return text
  const head = cutText(text, max)
  return `${head.trimEnd()} … (cut, ${text.length - head.length} more characters)`
}

/** Maximum lengths of a text as written and as Slack counts it: `&` counts as the five characters of its entity. */
export interface TextLimit {
  max: number
  maxEscaped: number
}

/** Escapes text, limited to about these lengths. */
export function escapeWithin(text: string, { max, maxEscaped }: TextLimit): string {
  let kept = Math.min(max, text.length)
  let escaped = escapeText(shorten(text, kept))
  while (escaped.length > maxEscaped && kept > 0) {
    kept = Math.min(kept - 1, Math.floor((kept * maxEscaped) / escaped.length))
    escaped = escapeText(shorten(text, kept))
  }
  return escaped
}

/** Escapes text and quotes it in mrkdwn, without empty lines. The marks of the quote, two a line, are not counted. */
export function quote(text: string, limit: TextLimit): string {
  return escapeWithin(text.replace(/\n\s*\n/g, '\n'), limit).replace(/^/gm, '> ')
}

const NAME_CHARS = 60

/**
 * Makes the name of a person or a channel safe for prompts and posts, because its owner may choose any text. It keeps
 * letters, digits and the few signs that names have, on one line, at most 60 characters. That rules out ReAct labels,
 * control sequences, addresses with a scheme and Markdown. Empty if nothing is left.
 */
export function cleanName(name: string): string {
  return cleaned(name, /[^\p{L}\p{M}\p{N}.,'’()_-]+/gu)
}

/** The same for a file name, which may have an ampersand: `R&D plan.pdf`. It must be escaped before it is posted. */
export function cleanFileName(name: string): string {
  return cleaned(name, /[^\p{L}\p{M}\p{N}.,'’()_&-]+/gu)
}

function cleaned(name: string, dropped: RegExp): string {
  const plain = unescapeText(name.slice(0, 1000))
    .replace(dropped, ' ')
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
  return [...plain.trim()].slice(0, NAME_CHARS).join('').trim()
}
