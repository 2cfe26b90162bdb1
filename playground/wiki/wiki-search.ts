import type { WikiPage } from './wiki-pages.ts'

/** Words that a search index leaves out, unless the query has no others. */
const SMALL_WORDS = new Set(
  'a an and are as at by for from in is it of on or s the to was were who what with'.split(' '),
)

/**
 * Returns the words of a text as a search index stores them. `C#`, `AT&T` and `0.305` stay whole; a plural s is
 * removed.
 */
export function words(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+(?:[&.'’-][\p{L}\p{N}]+)*[#+]*/gu) ?? []
  return found.map((word) => word.replace(/['’]s$/, '').replace(/(?<=\p{L}{3})s$/u, ''))
}

/**
 * Returns the pages with every word of the query, best first: an exact title, then titles, then the number of matches
 * in the text.
 */
export function search(pages: WikiPage[], query: string): WikiPage[] {
  const all = words(query)
  const asked = all.filter((word) => !SMALL_WORDS.has(word))
  const terms = asked.length > 0 ? asked : all
  if (terms.length === 0) return []
  return pages
    .map((page) => ({ page, score: score(page, terms, query) }))
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score || a.page.id - b.page.id)
    .map((hit) => hit.page)
}

/**
 * Searches like a MediaWiki without CirrusSearch: every word of the query, in titles alone or in texts alone, in no
 * meaningful order.
 */
export function searchIn(what: 'title' | 'text', pages: WikiPage[], query: string): WikiPage[] {
  const terms = words(query)
  if (terms.length === 0) return []
  return pages.filter((page) => {
    const found = new Set(words(page[what]))
    return terms.every((term) => found.has(term))
  })
}

/**
 * Scores a page: 0 without all terms. A word of the title counts twenty times a word of the text, and the exact title
 * most.
 */
function score(page: WikiPage, terms: string[], query: string): number {
  const names = [page.title, ...page.redirects]
  const titleWords = new Set(names.flatMap(words))
  const counts = new Map<string, number>()
  for (const word of words(page.text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  if (!terms.every((term) => titleWords.has(term) || counts.has(term))) return 0
  const inText = terms.reduce((sum, term) => sum + Math.min(counts.get(term) ?? 0, 5), 0)
  const inTitle = terms.filter((term) => titleWords.has(term)).length
  const exact = names.some((name) => name.toLowerCase() === query.trim().toLowerCase())
  return inText + inTitle * 20 + (exact ? 1000 : 0)
}

/** Returns the title that is at most two letters away from a query without results ("Did you mean"). */
export function suggestion(pages: WikiPage[], query: string): string | undefined {
  const wanted = query.trim().toLowerCase()
  if (wanted.length <= 4) return undefined
  const titles = pages.flatMap((page) => [page.title, ...page.redirects]).map((title) => title.toLowerCase())
  return titles.find((title) => Math.abs(title.length - wanted.length) <= 2 && distance(title, wanted) <= 2)
}

/** Returns Levenshtein's distance, computed row by row. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
