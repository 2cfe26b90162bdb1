import type { Message, Usage } from '../agent/types.ts'

/**
 * Counts tokens for an endpoint that sent no usage, by OpenAI's o200k encoding (gpt-tokenizer). For other families it is
 * an estimate within about a fifth, and marked as one. The tables load at the first need, so that they cost nothing before.
 */
export async function estimateUsage(model: string, messages: Message[], text: string): Promise<Usage> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const input = messages.reduce((sum, message) => sum + countTokens(message.content, PLAIN) + PER_MESSAGE, PER_REPLY)
  return { model, inputTokens: input, outputTokens: countTokens(text, PLAIN), estimated: true }
}

/** Special tokens in a person's text are text. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
/** Chat framing, from OpenAI's cookbook "How to count tokens with tiktoken". */
const PER_MESSAGE = 3
const PER_REPLY = 3
