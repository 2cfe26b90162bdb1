/** Trimming without regular expressions: `/[…]+$/` takes quadratic time on a long run in the middle of a text. */

const SPACES = new Set(
  ' \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a' +
    '\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff',
)

/** Drops leading and trailing characters for which `drop` holds. */
export function trimWhile(text: string, drop: (char: string) => boolean): string {
  let start = 0
  let end = text.length
  while (start < end && drop(text[start] ?? '')) start++
  while (end > start && drop(text[end - 1] ?? '')) end--
  return text.slice(start, end)
}

/** White space of any width, none included. */
export function isSpace(char: string): boolean {
  return SPACES.has(char)
}

/** Drops white space of any width, none included, at both ends. */
export function tidy(text: string): string {
  return trimWhile(text, isSpace)
}

/** Takes the indent of a block away: up to `width` characters of white space at the beginning of each line. */
export function dedent(text: string, width: number): string {
  return width === 0 ? text : text.replace(new RegExp(`(?<=\\n)[^\\S\\n]{1,${Math.min(width, 64)}}`, 'g'), '')
}
