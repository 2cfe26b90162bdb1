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

/** A code span. Backticks inside would end it: they become a look-alike. */
export function codeSpan(text: string): string {
  return `\`${escapeText(text.replace(/\s*\n\s*/g, ' ').replaceAll('`', 'ˋ'))}\``
}

/** Cuts at `max` characters, not inside a surrogate pair, and says how much is missing. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const low = text.charCodeAt(max) >= 0xdc00 && text.charCodeAt(max) <= 0xdfff
  const head = text.slice(0, low ? max - 1 : max)
  return `${head.trimEnd()} … (cut, ${text.length - head.length} more characters)`
}
