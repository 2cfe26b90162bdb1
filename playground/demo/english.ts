/**
 * Reads a little English: polite phrases, several questions in one message, sums in words, and the few forms that
 * recordings know.
 */
import { introOf, shippedPages, type WikiPage } from '../wiki/wiki-pages.ts'
import { suggestion } from '../wiki/wiki-search.ts'

const CAPITALISED = "(?:\\p{Lu}\\.(?:\\p{Lu}\\.)*|(?:Jr|Sr|Dr|St|Inc)\\.|\\p{Lu}[\\p{L}'’&-]*)"
/** Matches a proper name: words with capitals, initials, and the small words inside names. */
export const NAME = `${CAPITALISED}(?:\\s(?:(?:de|van|von|du|la|&)\\s)?${CAPITALISED})*(?:\\s\\([\\p{L} ]+\\))?`

/** Phrases before the actual request. */
const BEFORE = [
  'hey|hi|hello|good (?:morning|day|evening)|there|ok(?:ay)?|well|so|and|but|also|then|please|kindly|maybe|sorry|excuse me',
  'thanks|thank you|by the way|(?:a |one )?quick question|thinkaloud|(?:can|could|would|will) (?:you|i|we)',
  '(?:do|did) you(?: happen to)? know|let me know|(?:tell|remind|show|give) (?:me|us)|(?:explain|say)(?= (?:wh|how))',
  "i(?:[’']d| would|[’']m| am| was)? (?:like|want|need|curious|wonder(?:ing)?)(?: to)?(?: (?:know|hear|ask))?",
]
const AFTER = /[\s,.;:!?-]+(?:please|pls|(?:thanks|thank you)(?: a lot| so much)?|for me|if you can|again)[\s.!?]*$/i
const POLITE = new RegExp(`^(?:[\\s,:;!]|[.–-]\\s+(?=\\p{L})|(?:${BEFORE.join('|')})(?![\\p{L}\\p{N}’'-]))+`, 'iu')
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f]+|:[a-z_]{2,30}:/gu

/** Removes emoji and polite phrases on both sides, repeatedly. */
export function plainly(text: string): string {
  const plain = text.slice(0, 2000).normalize('NFC').replace(EMOJI, ' ').trim()
  const bare = plain.replace(POLITE, '').replace(AFTER, '')
  return bare === plain ? plain : plainly(bare)
}

/** Synonyms, each with the word that the recordings know. */
const SAME: [string, string][] = [
  ["^(who|what|which|where|when|how)'?s ", '$1 is '],
  ['^what (?:year|date) ', 'when '],
  ['^(who|what|where|when|how (?:old|tall|high|much)) (?!is |was |are |were )(.+) (is|was|are|were)$', '$1 $3 $2'],
  ['^(?:about|explain|define|describe) ', 'what is '],
  ['^who (?:is|was) (.+) (written|invented|designed|created|founded|published|built) by$', 'who $2 $1'],
  ['^who (?:wrote|written) ', 'who is the author of '],
  ['^who (invent|creat|direct)ed ', 'who is the $1or of '],
  ['^who (design|publish|found|discover|develop)ed ', 'who is the $1er of '],
  ['^who built ', 'who is the builder of '],
]

/**
 * Rewrites a question in the few forms that recordings know: straight quotes, the verb in its place, a sum after "=".
 */
export function simply(text: string): string {
  const straight = plainly(text).replace(/[’‘`]/g, "'").replace(/\s+/g, ' ')
  const simple = straight.replace(/(?:[?.,= ]|(?<![\d)])!)+$/, '')
  const same = SAME.reduce((said, [from, to]) => said.replace(new RegExp(from, 'i'), to), simple)
  const sum = sumOf(same)
  return sum ? `= ${sum}` : knownName(same) ? `what is ${same}` : same
}

const NUMBER = '(\\(?-?\\d[\\d,]*(?:\\.\\d+)?\\)?)'
const SIGNS = 'times:* multiplied:* plus:+ minus:- divided:/ over:/ by: percent:% squared:^2 cubed:^3'
const COUNT = 'one:1 two:2 three:3 four:4 five:5 six:6 seven:7 eight:8 nine:9 ten:10 eleven:11 twelve:12'
/** The calculator's signs for words of arithmetic. It accepts "15% of 80", "1,000" and "×" as they are. */
const signs = new Map(`${SIGNS} ${COUNT}`.split(' ').map((pair) => [pair.split(':')[0], pair.split(':')[1]]))
const PHRASES: [string, string][] = [
  [`\\b(?:raised )?to the (?:power (?:of )?)?${NUMBER}(?:th)?(?: power)?`, '^$1'],
  [`\\b(?:the )?(?:square )?root of ${NUMBER}`, 'sqrt($1)'],
  [`\\b(?:the )?half (?:of )?${NUMBER}`, '$1/2'],
  ['\\s*([-+*/^()])\\s*', '$1'],
]
const SUM = /^(?:[\d .,+\-*/^()!%×·÷−–√²³]|(?<=% ?)of\b|\b(?:sqrt|cbrt|abs|exp|ln|log|sin|cos|tan|mod|x|pi|e)\b)+$/

/** Returns the expression for the calculator; undefined if the text is not all arithmetic. */
export function sumOf(text: string): string | undefined {
  const opening = /^(?:(?:what|how much) (?:is|are)|calculate|compute|solve)?\s*(?:the result of )?/
  const bare = text.slice(0, 301).toLowerCase().replace(opening, '')
  const words = bare.replace(/[a-z]+/g, (word) => signs.get(word) ?? word)
  const sum = PHRASES.reduce((rest, [said, sign]) => rest.replace(new RegExp(said, 'g'), sign), words).trim()
  const isSum = sum.length <= 300 && SUM.test(sum) && /\d.*[-+*/^(!%×·÷−–²³x]|[-√(].*\d/.test(sum) && !/\d \d/.test(sum)
  return isSum && !/^-?[\d.]+$/.test(sum) ? sum : undefined
}

const ASKS =
  '(?:(?:and|also|then|please|so|but)[, ]+)*(?:who|what|when|where|how|can|could|tell me|half|his|her|its)\\b'
const SPLIT = new RegExp(`(?<=[?;])\\s+|(?<=[.!,])\\s+(?=${ASKS})|\\s+(?:and|also|plus|but)\\s+(?=${ASKS})`, 'iu')

/** Returns the questions of a text. One about two known names is a question about each. */
export function questionsIn(text: string): string[] {
  const parts = text.split(SPLIT).filter((part) => /[\p{L}\p{N}]/u.test(part))
  return parts.slice(0, 4).flatMap((part) => {
    const [first, second] = namesIn(part)
    const between = first && second && part.slice(first.at + first.text.length, second.at)
    if (!between || !/^(?:['’]s?)? and (?:the )?$/i.test(between)) return [part]
    return [part.replace(between + second.text, ''), part.slice(0, first.at) + part.slice(second.at)]
  })
}

export type Pronoun = 'he' | 'she' | 'it' | 'they'
/** A name as a page writes it. `text` and `at` are the form and the place in the text that was read. */
type NameMention = { name: string; pronoun: Pronoun; text: string; at: number }

const pages = shippedPages()
const all = pages.flatMap((page) => [page.title, ...page.redirects].map((name) => ({ name, pronoun: pronounOf(page) })))
const names = new Map(all.toReversed().map((one) => [plain(one.name), one]))
const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.()]/g, '\\$&'))
const NAMES = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join('|')})(?=(?:s|'s?)?(?![\\p{L}\\p{N}]))`, 'gu')

function pronounOf(page: WikiPage): Pronoun {
  const [, he, she] = /\b(?:(he|his)|(she|her))\b/i.exec(introOf(page)) ?? []
  return he ? 'he' : she ? 'she' : 'it'
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replace(/’/g, "'").replace(/♯/g, '#').toLowerCase()
}

/**
 * Returns the names in a text, the longest at each place. The text's plain form has the same length. Names of one or
 * two letters count only in capitals.
 */
export function namesIn(text: string): NameMention[] {
  return [...plain(text.slice(0, 1000)).matchAll(NAMES)].flatMap(({ 0: { length }, index: at }) => {
    const [here, known] = [text.slice(at, at + length), names.get(plain(text.slice(at, at + length)))]
    return known && (length > 2 || here === known.name) ? [{ ...known, text: here, at }] : []
  })
}

/**
 * Returns the page's name that makes up the whole text. Ignores capitals, accents, an article, and two wrong letters in
 * a long name.
 */
export function knownName(text: string): string | undefined {
  const bare = text.trim().replace(/^(?:the|an?) /i, '')
  const [named] = namesIn(bare)
  if (named && named.text.length >= bare.replace(/(?:s|['’]s?)$/, '').length) return named.name
  return bare.length < 8 || bare.length > 60 ? undefined : names.get(suggestion(pages, bare) ?? '')?.name
}
