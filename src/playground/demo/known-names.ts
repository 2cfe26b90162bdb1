/** What the demo knows by heart: how the shipped pages are called, and the pronoun that their own first sentences use. */
import { introOf, shippedPages } from '../wiki-pages.ts'
import { suggestion } from '../wiki-search.ts'

export type Pronoun = 'he' | 'she' | 'it' | 'they'

/** A name as a page writes it. `text` is how it stands in the text that it was read in, and `at` where. */
export type Named = { name: string; pronoun: Pronoun; text: string; at: number }

const pages = shippedPages()
const names = new Map<string, { name: string; pronoun: Pronoun }>()
for (const page of pages)
  for (const name of [page.title, ...page.redirects])
    if (!names.has(plain(name))) names.set(plain(name), { name, pronoun: pronounIn(introOf(page)) ?? 'it' })
const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length)
const anyName = longestFirst.map((name) => name.replace(/[.()]/g, '\\$&')).join('|')
const NAMES = new RegExp(`(?<![\\p{L}\\p{N}])(?:${anyName})(?=(?:s|'s?)?(?![\\p{L}\\p{N}]))`, 'gu')

/** As long as the text is. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replace(/’/g, "'").replace(/♯/g, '#').toLowerCase()
}

/** The first pronoun that begins a sentence, or else the first, tells what a text is about: a man, a woman or a thing. */
export function pronounIn(text: string): Pronoun | undefined {
  const pronoun = '(?:(he|his|him)|(she|her)|its?|they|their)\\b'
  const ways = [new RegExp(`(?:^|[.!?]["”’]?\\s)${pronoun}`, 'i'), new RegExp(`\\b${pronoun}`, 'i')]
  const [any, he, she] = ways.map((one) => one.exec(text.slice(0, 2000))).find((one) => one) ?? []
  return he ? 'he' : she ? 'she' : any ? 'it' : undefined
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
  const meant = bare.length < 8 || bare.length > 60 ? undefined : suggestion(pages, bare)
  return meant && names.get(plain(meant))?.name
}

/** The shipped pages whose names begin with a name and say in brackets which one is meant. */
export function namesakes(name: string): string[] {
  return pages.map(({ title }) => title).filter((title) => title.startsWith(`${name} (`))
}
