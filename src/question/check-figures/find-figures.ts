/** Finds the figures of an answer: numbers, whole dates, times, quotations, file names and addresses. */
import { datesIn, monthOf, timesIn, type DateFound, type TimeFound } from './dates.ts'
import { monthsNamed } from './month-names.ts'
import { numbersIn, type Numeral } from './numbers.ts'

/** A figure as it is written, and its offset in the answer. */
export type Figure =
  | { kind: 'number'; text: string; at: number; number: Numeral }
  | { kind: 'date'; text: string; at: number; date: DateFound }
  | { kind: 'time'; text: string; at: number; time: TimeFound }
  | { kind: 'quotation' | 'phone' | 'file' | 'address' | 'id'; text: string; at: number }

/** Replaces the parts that are already read, so that the numbers on both sides stay apart. */
const MASK = '\u0001'
export const masked = (found: string) => MASK.repeat(found.length)

const ADDRESS =
  /\bhttps?:\/\/[^\s<>|"'`\u0001()[\]]{1,2000}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g
const EXTENSIONS =
  'pdf|docx?|xlsx?|pptx?|odt|ods|odp|rtf|csv|tsv|txt|md|json|jsonl|xml|ya?ml|toml|ini|cfg|conf|log|html?|css|png|jpe?g|gif|webp|svg|mp3|mp4|mov|zip|gz|tar|py|ts|tsx|js|jsx|mjs|go|rs|java|rb|php|sh|sql|ipynb'
const FILE = new RegExp(`(?<![\\w.+/-])[\\w.+/-]{1,200}\\.(?:${EXTENSIONS})(?![\\w/-]|\\.\\w)`, 'gi')
/** Names of software, not of files. */
const NO_FILE = /^(?:node|next|vue|nuxt|nest|express|three|d3|react|ember|backbone|discord|chart|moment|alpine)\.js$/i
const QUOTATION = /“([^“”\n]{1,600})”|"([^"\n]{1,600})"|«([^«»\n]{1,600})»|„([^„“”\n]{1,600})[“”]/g
/** Shorter ones are names and terms. */
const LEAST_WORDS_QUOTED = 3
/** `INC-4521`, `CVE-2024-1234`, `NL91ABNA0417164300`, the hash of a commit, and versions such as `2.14.1`. */
const ID =
  /(?<![\w-])(?!(?:ISO|RFC|SHA|UTF|AES|RSA|IEEE|MD|COVID|WCAG)-)[A-Z]{2,10}(?:-\d{4})?-\d{2,7}(?![\w-])|(?<![\w-])(?=[A-Z0-9]{0,20}\d[A-Z0-9]{0,20}\d)(?=\d{0,20}[A-Z])[A-Z0-9]{10,40}(?![\w-])|(?<![\w-])[A-Z]{1,3}\d{4,8}[A-Z]?(?![\w-])|(?<![\w-])(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{7,40}(?![\w-])|(?<![\w.,])(?!\d{1,3}(?:\.\d{3})+(?!\.?\d))v?\d{1,4}(?:\.\d{1,4}){2,3}(?![\w.,]\w|\w)/g

/** A phone number: international, with an area code in brackets, or in three groups. It is compared by its digits. */
const PHONE =
  /\+\d{1,4}[ -]?(?:\(\d{1,4}\)[ -]?)?\d[\d ./-]{4,16}\d|(?<![\d.,+-])(?!\d\d[- ]\d\d[- ]\d{4}(?!\d))0\d{1,4}[- ]\d{2,4}(?:[ .-]?\d{2,4}){1,3}(?![\d-])|(?<![\d.,+])\(0?\d{2,5}\)[ -]?\d{2,4}(?:[ .-]?\d{2,4}){1,3}(?!\d)|(?<![\d.,+-])\d{3}([-.])\d{3}\1\d{4}(?![\d-])/g

const FENCED = /^[ \t>]*(```|~~~)[\s\S]*?(?:\1|$(?![\s\S]))/gm
const INLINE_CODE = /`([^`\n]{1,300})`/g
const FORMULA = /\$\$[^$]{1,2000}\$\$|\\\[[^\]]{1,2000}\\\]|\\\([^)\n]{1,500}\\\)/g
const CITATION = /\[\^?\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9}\]/g
/** The number of a list item or a heading at the start of a line. */
const MARKER = /^[ \t>*_#+-]{0,20}\(?\d{1,3}(?:\.\d{1,3}){0,3}[.):](?=[\s*_])|^#{1,6} +\d{1,3}(?=\s)/gmu
/** `Step 2`, `option 3`: a place in this answer. `UTC+8`: the name of a zone. */
const PLACE =
  /\b(?:steps?|options?|items?|points?|examples?|reasons?|parts?|phases?|figures?|tables?|notes?|sources?|questions?|approach|cases?|scenarios?|methods?|observations?)[ \u00a0]#?\d{1,2}(?:(?:,| and| or| to|[ ]?[–-])[ ]?\d{1,2}){0,5}\b(?!\.\d|,\d|%)|\b(?:UTC|GMT)[ ]?[+\u2212-][ ]?\d{1,2}(?::[0-5]\d)?(?!\d)/gi
const CODE_VALUE = /^[\s$€£¥~≈+-]*\d[\d.,'’_ \u00a0:/-]*(?:%|[a-z°]{0,12}|[a-z]{1,8}\/[a-z]{1,3})$/i

/** The maximum number of figures of an answer that are checked. */
const MAX_FIGURES = 300
/** Words for smaller numbers are mostly grammar: `one of them`, `two things`. */
const LEAST_WORD = 4

/**
 * Finds the figures of an answer in its order, each once. List markers, numbers of steps, citations and code do not
 * count, except code that is a value, a file name or an address. Linear in the length of the text.
 */
export function figuresIn(answer: string): Figure[] {
  const found: Figure[] = []
  let rest = answer.replace(FENCED, masked)
  rest = take(rest, ADDRESS, (text, at) => found.push({ kind: 'address', text: text.replace(/[.,;:!?*_]+$/, ''), at }))
  rest = rest.replace(INLINE_CODE, (whole, code: string) => (isValue(code) ? `\u0001${code}\u0001` : masked(whole)))
  rest = rest.replace(FORMULA, masked).replace(CITATION, masked)
  rest = rest.replace(QUOTATION, (whole: string, ...parts: unknown[]) => {
    const words = String(parts.slice(0, 4).find((part) => part !== undefined))
    if ((words.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < LEAST_WORDS_QUOTED) return whole
    found.push({ kind: 'quotation', text: words.trim(), at: Number(parts[4]) })
    return masked(whole)
  })
  rest = take(rest, PHONE, (text, at) => found.push({ kind: 'phone', text, at }))
  rest = withoutMarkers(rest).replace(PLACE, masked)
  rest = rest.replace(FILE, (text: string, at: number) => {
    if (!NO_FILE.test(text)) found.push({ kind: 'file', text, at })
    return masked(text)
  })
  const { dates, rest: undated } = datesIn(rest, masked)
  const { times, rest: untimed } = timesIn(undated, masked)
  rest = take(untimed, ID, (text, at) => found.push({ kind: 'id', text, at }))
  for (const date of dates) found.push({ kind: 'date', text: date.text, at: date.at, date })
  for (const time of times) found.push({ kind: 'time', text: time.text, at: time.at, time })
  for (const number of numbersIn(rest))
    if (isFact(number) && !isConstant(number, rest))
      found.push({ kind: 'number', text: number.text, at: number.at, number })
  return onlyOnce(found.sort((one, other) => one.at - other.at)).slice(0, MAX_FIGURES)
}

/** Masks the numbers of list items. `5. března` begins a line too: it is a date, unless the line is one of a list. */
function withoutMarkers(text: string): string {
  const numbers = new Set([...text.matchAll(MARKER)].map(([mark]) => Number(/\d+(?=\D*$)/.exec(mark)?.[0])))
  return text.replace(MARKER, (mark: string, at: number) => {
    const [, name = '', year] = MONTH_BEHIND.exec(text.slice(at + mark.length, at + mark.length + 30)) ?? []
    const number = Number(/\d+(?=\D*$)/.exec(mark)?.[0])
    const isMonth = monthsNamed(name, year !== undefined).length > 0 || (year !== undefined && monthOf(name) > 0)
    const isListed = year === undefined && (numbers.has(number - 1) || numbers.has(number + 1))
    return /\d\.$/.test(mark) && number <= 31 && isMonth && !isListed ? mark : masked(mark)
  })
}

const MONTH_BEHIND = /^\s(\p{L}[\p{L}\p{M}]{2,17})(?:\.?\s(\d{4})(?!\d))?/u

function take(text: string, pattern: RegExp, found: (text: string, at: number) => void): string {
  return text.replace(pattern, (match: string, ...more: unknown[]) => {
    found(match, Number(more.find((one) => typeof one === 'number')))
    return masked(match)
  })
}

/** Returns whether code is a value, a file name, an id or a date. */
function isValue(code: string): boolean {
  const text = code.trim()
  return [FILE, ID].some((pattern) => text.replace(pattern, '') === '') || CODE_VALUE.test(text)
}

/** Words for small numbers and small ordinals (`2nd`) are not facts. */
function isFact({ isWord, isPercent, unit, readings: [reading], text }: Numeral): boolean {
  const value = reading?.value ?? 0
  const isMeasured = unit !== undefined && unit.kind !== 'months'
  if (isWord) return value >= LEAST_WORD || isPercent || (isMeasured && value > 1) || (!unit && / /.test(text))
  return !/(?:st|nd|rd|th)$/.test(text) || value >= 10
}

const CONSTANTS = new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 24, 60, 100, 365, 1000, 1024, 3600])

/** Returns whether it is a factor, divisor or exponent of a calculation, rather than a fact: `x / 2`, `× 100`. */
function isConstant({ at, text, readings: [reading] }: Numeral, answer: string): boolean {
  if (!CONSTANTS.has(reading?.value ?? 0)) return false
  const [before, after] = [answer.slice(Math.max(0, at - 2), at), answer.slice(at + text.length, at + text.length + 2)]
  return /[×*·/÷^][ \u00a0]?$/.test(before) || /^[ \u00a0]?[×÷^]/.test(after)
}

function onlyOnce(figures: Figure[]): Figure[] {
  const seen = new Map(figures.toReversed().map((figure) => [figureKey(figure), figure]))
  return figures.filter((figure) => seen.get(figureKey(figure)) === figure)
}

function figureKey(figure: Figure): string {
  // A range has two dates with one text.
  if (figure.kind === 'date') return `date ${figure.text.toLowerCase()} ${JSON.stringify(figure.date.readings)}`
  if (figure.kind !== 'number') return `${figure.kind} ${figure.text.toLowerCase()}`
  const { readings, isPercent, unit } = figure.number
  return `${readings[0]?.value} ${isPercent} ${unit?.kind} ${unit?.factor}`
}
