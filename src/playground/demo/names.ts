/** The names of the shipped pages, and the pronoun that each page's own first sentences use. */
import { introOf, shippedPages, type WikiPage } from '../wiki-pages.ts'
import { suggestion } from '../wiki-search.ts'

export type Pronoun = 'he' | 'she' | 'it' | 'they'

/** A name as a page writes it. `text` is how it stands in the text that it was read in, and `at` where. */
export type Named = { name: string; pronoun: Pronoun; text: string; at: number }

const pages = shippedPages()
const all = pages.flatMap((page) => [page.title, ...page.redirects].map((name) => ({ name, pronoun: pronounOf(page) })))
const names = new Map(all.toReversed().map((one) => [plain(one.name), one]))
const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length)
const anyName = longestFirst.map((name) => name.replace(/[.()]/g, '\\$&')).join('|')
const NAMES = new RegExp(`(?<![\\p{L}\\p{N}])(?:${anyName})(?=(?:s|'s?)?(?![\\p{L}\\p{N}]))`, 'gu')

function pronounOf(page: WikiPage): Pronoun {
  const [, he, she] = /\b(?:(he|his)|(she|her))\b/i.exec(introOf(page)) ?? []
  return he ? 'he' : she ? 'she' : 'it'
}

/** As long as the text is. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replace(/’/g, "'").replace(/♯/g, '#').toLowerCase()
}

/** The names that stand in a text, the longest at each place; those of one or two letters in capitals alone. */
export function namesIn(text: string): Named[] {
  return [...plain(text.slice(0, 1000)).matchAll(NAMES)].flatMap(({ 0: { length }, index: at }) => {
    const [here, known] = [text.slice(at, at + length), names.get(plain(text.slice(at, at + length)))]
    return known && (length > 2 || here === known.name) ? [{ ...known, text: here, at }] : []
  })
}

/** The page's name that a whole text is, but for capitals, accents, an article and two wrong letters in a long one. */
export function knownName(text: string): string | undefined {
  const bare = text.trim().replace(/^(?:the|an?) /i, '')
  const [named] = namesIn(bare)
  if (named && named.text.length >= bare.replace(/(?:s|['’]s?)$/, '').length) return named.name
  return bare.length < 8 || bare.length > 60 ? undefined : names.get(suggestion(pages, bare) ?? '')?.name
}
