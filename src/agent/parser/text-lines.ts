/**
 * A text by its lines: white space, indents and code fences. Trimming is done without regular expressions: `/[…]+$/`
 * takes quadratic time on a long run of such characters in the middle of a text.
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

/** White space of any width, zero-width included. */
export function isSpace(char: string): boolean {
  return SPACES.has(char)
}

/** Drops white space of any width, zero-width included, at both ends. */
export function tidy(text: string): string {
  return trimWhile(text, isSpace)
}

/** The offset of the first character from `from` on that is no white space; the length of the text when there is none. */
export function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text[at] ?? '')) at++
  return at
}

/** Takes the indent of a block away: up to `width` characters of white space at the beginning of each line. */
export function dedent(text: string, width: number): string {
  return width === 0 ? text : text.replace(new RegExp(`(?<=\\n)[^\\S\\n]{1,${Math.min(width, 64)}}`, 'g'), '')
}

/** Where the line after the one at `at` begins; the length of the text when there is none. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

/** What a sticky pattern matches at `at`, or a global one from there on. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Fences as models write them: of backticks or tildes, with a language or none, escaped (`\```json`), unclosed. */
const FENCE = /[ \t]*\\?(?:`{3,}|~{3,})[ \t]{0,8}([\w+#.-]*)[ \t]{0,8}\r?(?:\n|$)/y
/** A line that begins with another character is no fence. */
const MAY_BEGIN_FENCE = new Set(' \t\\`~')

/** A line that is a fence and nothing else. `end` is the offset after its line break. */
export interface Fence {
  language: string
  end: number
}

/** The fence that the line at `at` is, if it is one. */
export function fenceAt(text: string, at: number): Fence | undefined {
  if (!MAY_BEGIN_FENCE.has(text[at] ?? '')) return undefined
  const match = matchAt(FENCE, text, at)
  return match ? { language: match[1] ?? '', end: FENCE.lastIndex } : undefined
}

/** How deep in fences the text is after `fence`: one with a language always opens, a bare one closes what is open. */
export function depthAfter(depth: number, fence: Fence): number {
  return fence.language || depth === 0 ? depth + 1 : depth - 1
}

/** Where the line begins that closes the fence which is open at `from`; undefined when nothing does. */
export function closingFence(text: string, from: number): number | undefined {
  let depth = 1
  for (let at = from; at < text.length; at = nextLine(text, at)) {
    const fence = fenceAt(text, at)
    if (fence) depth = depthAfter(depth, fence)
    if (depth === 0) return at
  }
  return undefined
}

/** The brace at `at`, after white space, backticks, tildes, the opening of a list, and the word `json`. */
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
