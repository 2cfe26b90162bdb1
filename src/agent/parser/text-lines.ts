/**
 * White space, indents and code fences of a text. Trimming avoids regular expressions: `/[…]+$/` takes quadratic time
 * on a long run of such characters in the middle of a text.
 */

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

/** Returns whether a character is white space, zero-width included. */
export function isSpace(char: string): boolean {
  return SPACES.has(char)
}

/** Trims white space, zero-width included. */
export function tidy(text: string): string {
  return trimWhile(text, isSpace)
}

/** The offset of the first character at or after `from` that is not white space, or the length of the text. */
export function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text[at] ?? '')) at++
  return at
}

/** Removes up to `width` characters of white space from the start of each line. */
export function dedent(text: string, width: number): string {
  return width === 0 ? text : text.replace(new RegExp(`(?<=\\n)[^\\S\\n]{1,${Math.min(width, 64)}}`, 'g'), '')
}

/** The offset of the next line, or the length of the text. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

/** Matches a sticky pattern at `at`, or a global one from there on. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Fences as models write them: backticks or tildes, with or without a language, escaped (`\```json`), unclosed. */
const FENCE = /[ \t]*\\?(?:`{3,}|~{3,})[ \t]{0,8}([\w+#.-]*)[ \t]{0,8}\r?(?:\n|$)/y
/** A line with any other first character is not a fence. */
const MAY_BEGIN_FENCE = new Set(' \t\\`~')

/** A line that is only a fence. `end` is the offset after its line break. */
interface Fence {
  language: string
  end: number
}

/** The fence on the line at `at`, if there is one. */
export function fenceAt(text: string, at: number): Fence | undefined {
  if (!MAY_BEGIN_FENCE.has(text[at] ?? '')) return undefined
  const match = matchAt(FENCE, text, at)
  return match ? { language: match[1] ?? '', end: FENCE.lastIndex } : undefined
}

/** The fence depth after `fence`: one with a language always opens, a bare one closes what is open. */
export function depthAfter(depth: number, fence: Fence): number {
  return fence.language || depth === 0 ? depth + 1 : depth - 1
}

/** The offset of the line that closes the fence open at `from`, or undefined. */
export function closingFence(text: string, from: number): number | undefined {
  let depth = 1
  for (let at = from; at < text.length; at = nextLine(text, at)) {
    const fence = fenceAt(text, at)
    if (fence) depth = depthAfter(depth, fence)
    if (depth === 0) return at
  }
  return undefined
}

/**
 * The offset of the brace at `at`, after white space, backticks, tildes, an opening list bracket, and the word `json`.
 */
export function braceAfter(text: string, at: number, end = text.length): number | undefined {
  let brace = skipFence(text, at, end)
  if (/^json/i.test(text.slice(brace, brace + 4))) brace = skipFence(text, brace + 4, end)
  return brace < end && text[brace] === '{' ? brace : undefined
}

function skipFence(text: string, from: number, end: number): number {
  let at = from
  while (at < end && (isSpace(text[at] ?? '') || '`~\\['.includes(text[at] ?? ''))) at++
  return at
}
