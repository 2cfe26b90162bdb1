/** Takes the repeated input of a call out of its result: `No results for "revenue 4711"` is no source of 4711. */
import { numbersAsText, parseExact } from '../../base/parse-json.ts'
import type { ReadText } from './read-text.ts'

/** The maximum number of values of an input that are looked for, and the longest one. */
const MAX_VALUES = 20
const MAX_CHARS = 1000
const ANY_DIGIT = /\p{Nd}/u

/** Returns the texts of a result with masks in place of the values of the input that they repeat. */
export function withoutEcho(texts: readonly ReadText[], input: unknown): ReadText[] {
  const value = typeof input === 'string' && /^\s*[{[]/.test(input) ? numbersAsText(parseExact(input) ?? input) : input
  const echoes = valuesIn(value).map(echoOf)
  if (echoes.length === 0) return [...texts]
  return texts.map(({ text, ...place }) => ({
    ...place,
    text: echoes.reduce((rest, echo) => rest.replace(echo, (found) => '\u0001'.repeat(found.length)), text),
  }))
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
