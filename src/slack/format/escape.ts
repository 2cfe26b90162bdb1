import type { FileRef } from '../../stores/runs/types.ts'

/**
 * Slack's control sequences (`<!channel>`, `<@U…>`, `<#C…>`, `<https://…>`) begin with `<`. Escaped, they are text and ping
 * nobody. See https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? char)
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export function unescapeText(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => (name === 'amp' ? '&' : name === 'lt' ? '<' : '>'))
}

/**
 * Applied to every string of every argument that is sent to Slack: a control sequence that would ping anybody but the asker
 * becomes text (what the formatting code escaped does not match any more), and characters that no request can carry (half a
 * surrogate pair, control characters) are replaced. The text elements of `rich_text` keep their control sequences: Slack reads none
 * there, and shows an entity as it is written.
 */
export function sanitize<T>(value: T, asker = ''): T {
  if (typeof value === 'string') return sanitizeText(value, asker) as T
  if (Array.isArray(value)) return value.map((item: unknown) => sanitize(item, asker)) as T
  if (typeof value !== 'object' || value === null) return value
  if ('type' in value && value.type === 'text' && 'text' in value && typeof value.text === 'string')
    return { ...value, text: carriable(value.text) }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sanitize(item, asker)])) as T
}

function sanitizeText(text: string, asker: string): string {
  return carriable(text).replace(/<(?=[!@#])/g, (lt, at: number) =>
    asker !== '' && text.startsWith(`<@${asker}>`, at) ? lt : '&lt;',
  )
}

function carriable(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd').replace(/(?![\t\n])\p{Cc}/gu, '')
}

/** A code span. Backticks inside would end it: they become a look-alike. Empty for an empty text. */
export function codeSpan(text: string, max = Infinity): string {
  const line = text
    .split('\n', MAX_LINES)
    .map((part) => part.trim())
    .join(' ')
    .replaceAll('`', 'ˋ')
  return isBlank(line) ? '' : `\`${escapeWithin(line, { max, most: MAX_SPAN })}\``
}

/**
 * Text in which Slack's marks are look-alikes, for a place that formats what is only data: bold, italics, strike, code, a quote
 * and an emoji's name stay as they were written.
 */
export function withoutMarks(text: string): string {
  return text
    .replace(/[*_~`]/g, (mark) => LOOK_ALIKES[mark] ?? mark)
    .replace(/^([ \t]*)(?:>|&gt;)/gm, '$1›')
    .replace(/:(?=[a-z][\w+-]{0,80}:)/gi, '∶')
}

const LOOK_ALIKES: Record<string, string> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ˋ' }

/**
 * Text for a field that Slack may read as Markdown (a task's): what would become a link or a mail address there is broken by a
 * space without width.
 */
export function withoutLinks(text: string): string {
  return text
    .replace(/:(?=\/\/)|\b(?:www|mailto|tel)(?=[.:])|\](?=[([:])|[\w-]@(?=[\w-])/gi, '$&\u200b')
    .replace(/([a-z\d-]\.)(?=[a-z]{2,24}(?![a-z]))/gi, '$1\u200b')
}

/**
 * Text of one line for a field that formats nothing and unescapes nothing, such as a table's cell: nothing in it looks like a ping,
 * and a web address is broken by a space without width. Mail addresses and names of files stay as they are, to be copied.
 */
export function plainLine(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .replace(/<(?=[!@#])/g, '‹')
  return line.replace(/\S+/g, (word) => (WEB_ADDRESS.test(word) ? withoutLinks(word) : word))
}

/** A scheme or www, or a host with something behind it. */
const WEB_ADDRESS = /\/\/|www\.|\.[a-z]{2,24}[/:?#]/i

const MAX_SPAN = 2000
const MAX_LINES = 2000

/** Whether a person would see nothing: spaces, line ends, and characters without a form such as a zero-width space. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text)
}

/** Cuts at about `max` characters, not inside a surrogate pair, and says how much is missing. A little over is not worth a cut. */
export function shorten(text: string, max: number): string {
  if (text.length <= max * 1.1) return text
  const head = headOf(text, max)
  return `${head.trimEnd()} … (cut, ${text.length - head.length} more characters)`
}

/** The first `max` characters, or one less where that would cut a surrogate pair in two. */
export function headOf(text: string, max: number): string {
  const low = text.charCodeAt(max) >= 0xdc00 && text.charCodeAt(max) <= 0xdfff
  return text.slice(0, low ? max - 1 : max)
}

/**
 * Escaped text of at most `max` characters as they were written, and at most `most` as Slack counts them: to Slack, `&` is
 * the five characters of its entity.
 */
export function escapeWithin(text: string, { max, most }: { max: number; most: number }): string {
  let kept = Math.min(max, text.length)
  let escaped = escapeText(shorten(text, kept))
  while (escaped.length > most && kept > 0) {
    kept = Math.min(kept - 1, Math.floor((kept * most) / escaped.length))
    escaped = escapeText(shorten(text, kept))
  }
  return escaped
}

const NAME_CHARS = 60

/**
 * The name of a person or a channel as it may stand in a prompt and in a post. Whoever chose it may have chosen anything: what is
 * left is letters, digits and the few signs that names have, on one line, at most 60 characters. No label of ReAct, no
 * control sequence, no address with a scheme and no Markdown can be made of that. Empty if nothing is left.
 */
export function cleanName(name: string): string {
  return cleaned(name, /[^\p{L}\p{M}\p{N}.,'’()_-]+/gu)
}

/** The name of a file, in the same way; it may have an ampersand: `R&D plan.pdf`. Where it is posted, it is escaped. */
export function cleanFileName(name: string): string {
  return cleaned(name, /[^\p{L}\p{M}\p{N}.,'’()_&-]+/gu)
}

function cleaned(name: string, dropped: RegExp): string {
  const plain = unescapeText(name.slice(0, 1000))
    .replace(dropped, ' ')
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
  return [...plain.trim()].slice(0, NAME_CHARS).join('').trim()
}

/** Of a file whose name Slack does not tell: one that is deleted or hidden. */
export const NAMELESS = 'a file'
/** Of one message. */
const MAX_FILES = 20

/** A message's files by what Slack says of them there; their names as they may stand in a prompt and in a post. */
export function fileRefs(files: unknown): FileRef[] {
  if (!Array.isArray(files)) return []
  return files.slice(0, MAX_FILES).map((file: unknown) => refOf(typeof file === 'object' && file !== null ? file : {}))
}

function refOf({ id, name, title, size, mimetype, mode, file_access: access }: SlackFile): FileRef {
  const given = [name, title].map((one) => (typeof one === 'string' ? cleanFileName(one) : ''))
  const told = Object.entries({ mimetype, mode, access }).filter(([, value]) => typeof value === 'string')
  return {
    id: typeof id === 'string' ? id : '',
    name: given.find((one) => one !== '') ?? NAMELESS,
    ...(typeof size === 'number' ? { size } : {}),
    ...Object.fromEntries(told),
  }
}

type SlackFile = Partial<Record<'id' | 'name' | 'title' | 'size' | 'mimetype' | 'mode' | 'file_access', unknown>>

/** Tells the model, and who reads on later, which files a question came with. */
export function filesLine(files: readonly FileRef[]): string {
  return files.length > 0 ? `(Files that came with the question: ${files.map(({ name }) => name).join(', ')})` : ''
}

/** What the model is asked where files came without a word. */
export const FILES_ALONE = 'Only files came, without a word. Say what they hold, and what of it matters here.'
