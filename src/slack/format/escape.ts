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

/** A code span. Backticks inside would end it: they become a look-alike. Empty for an empty text. */
export function codeSpan(text: string, max = Infinity): string {
  const line = text
    .split('\n', MAX_LINES)
    .map((part) => part.trim())
    .join(' ')
    .replaceAll('`', 'ˋ')
  return isBlank(line) ? '' : `\`${escapeWithin(line, { max, most: SPAN_MOST })}\``
}

const SPAN_MOST = 2000
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

/** HTML entities that models write where Markdown needs none. */
const WRITTEN: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: ' ' }

/** Text as Markdown shows it: entities decoded. It must be escaped after that. */
export function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#39|nbsp);/g, (entity, name: string) => WRITTEN[name] ?? entity)
}
