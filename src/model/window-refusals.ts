/** Reads the sizes in an endpoint's refusal of a prompt that is too long, in the words of many providers. */
import { APIError } from 'openai/core/error'
import { isRecord } from '../base/parse-json.ts'
import { isWindow } from './model-list.ts'

/** In tokens. */
interface RefusedSizes {
  /** The most that the endpoint takes. */
  window?: number
  /** What the prompt has. */
  prompt?: number
}

/** The longest refusal that is read, in characters. */
const MAX_WORDS = 2_000
const NUMBER = String.raw`(\d[\d,_']{0,12}\d)`

/** Where the limit stands, the surest first: `a > limit`, `[1, limit]`, `<= limit`, words before it, words after it. */
const LIMITS = [
  new RegExp(String.raw`>\s*${NUMBER}`),
  new RegExp(String.raw`\[\d{1,3},\s?${NUMBER}\]`),
  new RegExp(String.raw`(?:<=|≤)\s*${NUMBER}`),
  new RegExp(
    String.raw`(?:max\w{0,12}|limit(?:ed)?|context (?:size|length|window)|(?:less|fewer) than|cannot exceed|only|at most|up to|上下文长度|超过\w{0,2})\D{0,50}?${NUMBER}`,
    'i',
  ),
  new RegExp(String.raw`${NUMBER}\s?(?:tokens? )?max`, 'i'),
]

/** What the prompt alone has, where a refusal also counts the answer. */
const IN_PROMPT = new RegExp(
  String.raw`${NUMBER} (?:tokens )?(?:in the (?:messages|prompt)|of text input|(?:input|prompt) tokens|\`?inputs\`? tokens)`,
  'i',
)
const ANY = new RegExp(NUMBER, 'g')

/** The sizes that a refusal names: in its fields (llama.cpp), or in its words. */
export function sizesIn(error: unknown): RefusedSizes {
  if (!(error instanceof APIError)) return {}
  const fields: Record<string, unknown> = isRecord(error.error) ? error.error : {}
  const words = error.message.replace(/^\d{3} /, '').slice(0, MAX_WORDS)
  const limits = [fields['n_ctx'], ...LIMITS.map((limit) => numberOf(limit.exec(words)?.[1]))]
  const window = limits.find(isWindow)
  if (window === undefined) return {}
  const named = fields['n_prompt_tokens'] ?? numberOf(IN_PROMPT.exec(words)?.[1])
  const others = (words.match(ANY) ?? []).map(numberOf).filter((one) => isWindow(one) && one > window)
  const prompt = isWindow(named) ? named : others.length > 0 ? Math.max(...others.map(Number)) : undefined
  return { window, ...(prompt === undefined ? {} : { prompt }) }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text.replace(/[,_']/g, ''))
}
