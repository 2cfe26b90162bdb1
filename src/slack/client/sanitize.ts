/**
 * The last gate before Slack, for whatever string of whatever argument: a control sequence that would ping anybody but the
 * asker becomes text (what the formatting code escaped does not match any more), and characters that no request can carry
 * (half a surrogate pair, control characters) are replaced.
 */
export function sanitize<T>(value: T, asker = ''): T {
  if (typeof value === 'string') return guardText(value, asker) as T
  if (Array.isArray(value)) return value.map((item: unknown) => sanitize(item, asker)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sanitize(item, asker)])) as T
}

function guardText(text: string, asker: string): string {
  return text
    .replace(/[\ud800-\udfff]/gu, '\ufffd')
    .replace(/(?![\t\n])\p{Cc}/gu, '')
    .replace(/<(?=[!@#])/g, (lt, at: number) => (asker !== '' && text.startsWith(`<@${asker}>`, at) ? lt : '&lt;'))
}
