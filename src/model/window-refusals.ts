/** Reads the sizes that an endpoint's refusal of a long prompt names, in the words of many providers. */
import { APIError } from 'openai/core/error'
import { isRecord } from '../base/parse-json.ts'

/** In tokens. */
interface RefusedSizes {
  /** The most that the endpoint takes. */
  window?: number
  /** The size of the prompt. */
  prompt?: number
  /** The excess over the window. */
  over?: number
}

/** The smallest and the largest window of any model, in tokens. */
export const MIN_WINDOW = 256
const MAX_WINDOW = 20_000_000

export function isWindow(tokens: unknown): tokens is number {
  return Number.isSafeInteger(tokens) && Number(tokens) >= MIN_WINDOW && Number(tokens) <= MAX_WINDOW
}

/** The statuses of a request that is wrong in itself. */
const OF_REQUESTS = new Set<number | undefined>([400, 413, 422])

/** Returns whether a status says that the request is wrong in itself. */
export function isOfRequest({ status }: APIError): boolean {
  return OF_REQUESTS.has(status)
}

const TOKENS = /token|context|kontext|トークン|コンテキスト/i
const OF_RATES = /\bper (?:second|minute|hour|day|month)\b|rate limit/i

/** Words about the length of the answer, where the prompt's is not named. */
const OF_ANSWERS = /\b(?:completion|output|new) tokens\b(?!.*\b(?:prompt|input|messages|context)\b)/i

/** Returns whether a refusal compares two numbers of tokens, whatever its words are. */
export function comparesTokens(error: APIError): boolean {
  const { message, status } = error
  // Some endpoints refuse inside a stream, or as their own failure.
  const mayRefuse = isOfRequest(error) || status === undefined || status === 500
  if (!mayRefuse || OF_ANSWERS.test(message)) return false
  const { window, prompt } = sizesIn(error)
  return window !== undefined && prompt !== undefined && TOKENS.test(message) && !OF_RATES.test(message)
}

/** The longest refusal that is read, in characters. */
const MAX_WORDS = 2_000
const NUMBER = String.raw`(?<![\w.-])(\d[\d,_']{0,12}\d)(?![\w-])`
/** A field such as `n_ctx:` before a number. */
const FIELD = String.raw`(?:\w{1,30}:?\s)?`
/** `max_tokens` and its like limit the answer. */
const MAX = String.raw`max(?!_\w{0,12}tokens)\w{0,12}`

/** Where the limit stands, the surest first: `a > limit`, `[1, limit]`, `<= limit`, words before it, words after it. */
const LIMITS = [
  new RegExp(String.raw`>=?\s{0,3}${FIELD}${NUMBER}`),
  new RegExp(String.raw`\[\d{1,3},\s?${NUMBER}\]`),
  new RegExp(String.raw`(?:<=|≤)\s{0,3}${NUMBER}`),
  new RegExp(String.raw`${NUMBER}\s{0,3}/\s{0,3}${NUMBER}`),
  new RegExp(
    String.raw`(?:${MAX}|limit(?:ed)?|n_ctx|context (?:size|length|window)|(?:less|fewer) than|cannot exceed|only|at most|up to|上下文长度|超过\w{0,2})\D{0,50}?${NUMBER}`,
    'i',
  ),
  new RegExp(String.raw`${NUMBER}\s?(?:tokens? )?(?:max|allowed)`, 'i'),
]
/** The last resort: "the context window is 8k". */
const IN_THOUSANDS = /(?:max\w{0,12}|limit|context)\D{0,30}?(?<![\w.-])(\d{1,4})k\b/i

/** What the prompt alone has, where a refusal also counts the answer. */
const IN_PROMPT = new RegExp(
  String.raw`${NUMBER} (?:tokens )?(?:in the (?:messages|prompt)|of text input|(?:input|prompt) tokens|\`?inputs\`? tokens)`,
  'i',
)
const ANY = new RegExp(NUMBER, 'g')

/** Numbers that are no sizes: the excess, and MiniMax's number of the error. */
const OVER = new RegExp(String.raw`\bby ${NUMBER}|${NUMBER} (?:tokens )?(?:more than|over|too many|above)\b`, 'i')
const ERROR_NUMBER = /^invalid params.{0,200}\(\d{4}\)$/

/** The sizes that a refusal names: in its fields (llama.cpp), or in its words. */
export function sizesIn(error: unknown): RefusedSizes {
  if (!(error instanceof APIError)) return {}
  const fields: Record<string, unknown> = isRecord(error.error) ? error.error : {}
  const said = error.message.replace(/^\d{3} /, '').slice(0, MAX_WORDS)
  if (ERROR_NUMBER.test(said)) return {}
  const [, by, more] = OVER.exec(said) ?? []
  const words = said.replace(OVER, '')
  const numbers = (words.match(ANY) ?? []).map(numberOf).filter(isWindow)
  const window = [fields['n_ctx'], ...limitsIn(words, numbers)].find(isWindow)
  const over = numberOf(by ?? more)
  if (window === undefined) return isWindow(over) ? { over } : {}
  const named = fields['n_prompt_tokens'] ?? numberOf(IN_PROMPT.exec(words)?.[1])
  const larger = numbers.filter((one) => one > window)
  const prompt = isWindow(named) && named !== window ? named : larger.length > 0 ? Math.max(...larger) : undefined
  return { window, prompt }
}

/** The limits that the words may name, the surest first. Of two numbers without known words, it is the smaller. */
function limitsIn(words: string, numbers: number[]): (number | undefined)[] {
  const named = LIMITS.flatMap((limit) => {
    const [, one, other] = limit.exec(words) ?? []
    return [smaller(numberOf(one), numberOf(other))]
  })
  const thousands = IN_THOUSANDS.exec(words)?.[1]
  const ofTwo = numbers.length === 2 && TOKENS.test(words) ? Math.min(...numbers) : undefined
  return [...named, thousands === undefined ? undefined : Number(thousands) * 1_000, ofTwo]
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  return one !== undefined && other !== undefined ? Math.min(one, other) : one
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text.replace(/[,_']/g, ''))
}
