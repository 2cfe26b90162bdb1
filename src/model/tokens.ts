import type { Message, ModelRequest, Usage } from '../agent/contracts/model.ts'

/** What a model reads in one call. */
export type CountedPrompt = Pick<ModelRequest, 'messages' | 'tools'>

/**
 * Returns a function that estimates a prompt's tokens, by OpenAI's o200k encoding (gpt-tokenizer). For other families
 * it is within about a fifth. The tables load on first use.
 */
export async function promptCounter(): Promise<(prompt: CountedPrompt) => number> {
  const count = await textCounter()
  return ({ messages, tools = [] }) => {
    const framing = PER_REPLY + messages.length * PER_MESSAGE
    const pictures = messages.reduce((sum, { images = [] }) => sum + images.length, 0)
    const words = [...messages.map(messageWords), ...tools.map((tool) => JSON.stringify(tool))]
    return framing + pictures * PICTURE_TOKENS + count(words.join('\n'))
  }
}

/** Estimates the usage for an endpoint that sent none. */
export async function estimateUsage(model: string, messages: Message[], text: string): Promise<Usage> {
  const [inputTokens, count] = [(await promptCounter())({ messages }), await textCounter()]
  return { model, inputTokens, outputTokens: count(text), estimated: true }
}

async function textCounter(): Promise<(text: string) => number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  return (text) => tokensOf(text, (piece) => countTokens(piece, PLAIN))
}

export function messageWords({ content, toolCalls = [] }: Message): string {
  return [content, ...toolCalls.map((call) => call.name + call.arguments)].join('')
}

/** The characters of messages, as they are counted. */
export function charsIn(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageWords(message).length, 0)
}

/** Special tokens in a person's text count as text. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
/** Chat framing, from OpenAI's cookbook "How to count tokens with tiktoken". */
const PER_MESSAGE = 3
const PER_REPLY = 3
/**
 * A picture of 1,024 by 1,024 pixels, the largest of Slack's thumbnails, by OpenAI's guide: 85, and 170 for each of
 * four tiles.
 */
const PICTURE_TOKENS = 765

/** Longer texts are estimated from samples of this total length, in characters. */
const MAX_COUNTED = 20_000

/**
 * Byte pair encoding takes quadratic time on a run without a break, so a text is counted in pieces, which end at a word
 * boundary if possible. For a long text, evenly spaced samples are counted and extrapolated.
 */
function tokensOf(text: string, count: (piece: string) => number): number {
  if (text.length <= MAX_COUNTED) return sum(text.match(PIECES) ?? [], count)
  const samples = Array.from({ length: SAMPLES }, (_, i) => {
    const from = Math.floor((i * (text.length - SAMPLE_CHARS)) / (SAMPLES - 1))
    return text.slice(from, from + SAMPLE_CHARS)
  })
  return Math.round((sum(samples, count) * text.length) / (SAMPLES * SAMPLE_CHARS))
}

const PIECES = /[^]{1,200}(?!\S)|[^]{1,200}/g
const SAMPLE_CHARS = 200
const SAMPLES = MAX_COUNTED / SAMPLE_CHARS

function sum(pieces: string[], count: (piece: string) => number): number {
  return pieces.reduce((total, piece) => total + count(piece), 0)
}
