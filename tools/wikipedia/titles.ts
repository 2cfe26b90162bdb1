/** Characters that no MediaWiki title can contain. `#` would cut the title short (`C#` is read as the page `C`). */
const NEVER_IN_TITLES = /[#<>[\]{}|\p{Cc}\uFFFD]/u
const MAX_TITLE_BYTES = 255
/** Lines beyond this number are not read on a page that points to others. */
const MAX_LINES = 500

/** Cuts a title to the maximum length of MediaWiki's titles. */
export function cutTitle(title: string): string {
  const text = title.slice(0, MAX_TITLE_BYTES)
  if (Buffer.byteLength(text) <= MAX_TITLE_BYTES) return text
  return Buffer.from(text)
    .subarray(0, MAX_TITLE_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '')
}

export function canBeTitle(text: string): boolean {
  return text !== '' && !NEVER_IN_TITLES.test(text) && Buffer.byteLength(text) <= MAX_TITLE_BYTES
}

/**
 * Returns whether a title matches the query, ignoring case, accents and punctuation. A character that titles cannot
 * contain matches its name, and an explanation in brackets is ignored: `C#` is `C Sharp (programming language)`.
 */
export function isSameTitle(title: string, query: string): boolean {
  const asked = fold(query)
  if (asked === '') return false
  return fold(title) === asked || (query.includes('#') && fold(title.replace(/\s*\([^()]*\)$/, '')) === asked)
}

function fold(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return plain
    .replace(/[#♯]/g, ' sharp ')
    .replace(/[^\p{L}\p{N}+&]+/gu, ' ')
    .trim()
}

/** `['a', "b's", 'c']`, as the paper's environment prints titles. */
export function listTitles(titles: string[]): string {
  return `[${titles.map((title) => (title.includes("'") ? `"${title}"` : `'${title}'`)).join(', ')}]`
}

/** Returns whether a page without the mark of a disambiguation page is one all the same, by the words of its text. */
export function pointsElsewhere(text: string): boolean {
  return /\brefers? to\s*(?:[^.\n]{0,40}):\s*(?:\n|$)/.test(text.slice(0, 500))
}

/**
 * Returns the titles that a disambiguation page offers, in its own order: the link at the start of each line. If the
 * links are unknown, returns each line up to the first comma.
 */
export function offeredTitles(text: string, links: string[]): string[] {
  const longestFirst = links.toSorted((a, b) => b.length - a.length)
  const lines = text
    .split('\n', MAX_LINES)
    .map((line) => line.slice(0, MAX_TITLE_BYTES))
    .map((line) => line.replace(/^[\s*•–-]+/, ''))
  const begun = lines.flatMap((line) => longestFirst.find((title) => line.startsWith(title)) ?? [])
  if (begun.length > 0) return [...new Set(begun)]
  if (links.length > 0) return links
  return lines
    .slice(1)
    .filter((line) => line !== '' && !line.startsWith('='))
    .map((line) => line.split(/, | – /, 1)[0] ?? line)
}
