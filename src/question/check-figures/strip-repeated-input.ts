/** Takes the repeated input of a call out of its result: `No results for "revenue 4711"` is no source of 4711. */
import { numbersAsText, parseExact } from '../../base/parse-json.ts'
import { asciiDigits } from './decimal-digits.ts'
import type { ReadText } from './read-text.ts'

/** The maximum number of values of an input that are looked for, and the longest one. */
const MAX_VALUES = 20
const MAX_CHARS = 1000
const ANY_DIGIT = /\p{Nd}/u

/** Returns the texts of a result with masks in place of the values of the input that they repeat. */
export function withoutEcho(texts: readonly ReadText[], input: unknown): ReadText[] {
  const value = typeof input === 'string' && /^\s*[{[]/.test(input) ? numbersAsText(parseExact(input) ?? input) : input
  const own = numbersIn((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, MAX_INPUT))
  if (own.size === 0) return [...texts]
  const echoes = valuesIn(value).map(echoOf)
  return texts.map(({ text, ...place }) => ({
    ...place,
    text: withoutOwnNumbers(
      echoes.reduce((rest, echo) => rest.replace(echo, masked), text),
      own,
    ),
  }))
}

const masked = (found: string) => '\u0001'.repeat(found.length)

const MAX_INPUT = 20_000
/** A longer result says more than that nothing was found. Characters. */
const MAX_EMPTY = 4_000

/** Matches the words of services and databases that find nothing. */
const FOUND_NOTHING = new RegExp(
  [
    String.raw`\b(?:no|0|zero) (?:[\p{L}-]+ ){0,2}(?:results?|hits?|rows?|match(?:es)?|documents?|records?|entr(?:y|ies)|events?|meetings?|files?|items?|pages?|users?|data|such|information)\b`,
    String.raw`\b(?:not|nothing|none|never)(?: \p{L}+)? (?:found|match(?:es|ed)?|exists?|known)\b|\bdoes ?n[o']t exist|\bunknown\b`,
    String.raw`\bknow nothing\b|\bnothing (?:at|for|in|with)\b|\b40[04]\b|\bkeine?\b|\baucun|\bning[uú]n|\bnessun|没有|未找到|見つかり`,
    String.raw`"(?:hits|results|rows|items|total|count|match(?:es)?|data|records|entries|documents)" ?: ?(?:\[\s*\]|0)(?=\s*[,}])`,
  ].join('|'),
  'iu',
)
const DURATION = /(?:\d+[.,])?\d+ ?(?:ms|s|secs?|seconds?)\b/giu
const NUMBER = /\p{Nd}+(?:[.,'’\u00a0\u202f ]\p{Nd}{3}(?!\p{Nd}))*/gu
const OF_NOTHING = /^(?:0|40[04])$/

/** The numbers of a text as their digits: whole ones, and the parts between separators. */
function numbersIn(text: string): Set<string> {
  const digits = asciiDigits(text)
  return new Set([...(digits.match(NUMBER) ?? []), ...(digits.match(/\d+/g) ?? [])].map(digitsOf))
}

const digitsOf = (number: string) => number.replace(/\D/g, '').replace(/^0+(?=\d)/, '')

/** Masks the input's numbers, in any form, in a result that says that nothing was found and has no other number. */
function withoutOwnNumbers(text: string, own: ReadonlySet<string>): string {
  if (text.length > MAX_EMPTY || !FOUND_NOTHING.test(text)) return text
  const isOwn = (number: string) =>
    own.has(digitsOf(number)) || (number.match(/\d+/g) ?? []).every((part) => own.has(digitsOf(part)))
  const numbers = asciiDigits(text.replace(DURATION, '')).match(NUMBER) ?? []
  if (numbers.some((one) => !isOwn(one) && !OF_NOTHING.test(one))) return text
  return text.replace(NUMBER, (found) => (isOwn(asciiDigits(found)) ? masked(found) : found))
}

type Value = [key: string, text: string]

/** The strings and numbers with a digit, each with its key. */
function valuesIn(value: unknown, key = ''): Value[] {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value).trim()
    return ANY_DIGIT.test(text) && text.length <= MAX_CHARS ? [[key, text]] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .slice(0, MAX_VALUES)
    .flatMap(([name, one]) => valuesIn(one, name))
    .slice(0, MAX_VALUES)
}

/** Several words are an echo wherever they stand, a single one only where it is quoted or named as what was asked. */
function echoOf([key, text]: Value): RegExp {
  const words = text.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  const whole = `(?<![\\p{L}\\p{N}.,])${words.join('[\\s+]+')}(?![\\p{L}\\p{N}]|[.,]\\d)`
  if (words.length > 1) return new RegExp(whole, 'giu')
  const names = [key, 'query', 'q', 'input', 'search', 'term', 'keyword', 'expression'].filter((name) =>
    /^\w+$/.test(name),
  )
  const named = `(?:\\b(?:${names.join('|')})["']?\\s?[:=]\\s?["']?|\\b(?:for|matching|matches|matched|containing|contains|about|searched|found no|no)\\s["'\`“‘]?|["'\`“«„])`
  return new RegExp(`(?<=${named})${whole}`, 'giu')
}
