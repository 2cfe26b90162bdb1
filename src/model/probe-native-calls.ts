/** Tests whether a model's native tool calls are usable, for AGENT_DIALECT=auto and `npm run doctor`. */
import { z } from 'zod'
import { readReply } from '../agent/ask-once.ts'
import type { Message, Model, ToolCall, ToolSpec } from '../agent/contracts/model.ts'
import { ModelError } from '../base/errors.ts'
import { parseJson } from '../base/parse-json.ts'
import { operatorSentence } from './failure-for-operator.ts'

/** The result of two calls: one that should use a tool, and one that returns the tool's result. `why` is a sentence. */
type NativeCalls = { usable: true } | { usable: false; why: string; isDown?: true }

/** A tool whose result no model knows, so that it has to be called. */
const TOOL: ToolSpec = {
  name: 'stock_level',
  description: 'Gives how many pieces of an article are in stock now.',
  parameters: {
    type: 'object',
    properties: { article: { type: 'string', description: 'The number of the article.' } },
    required: ['article'],
    additionalProperties: false,
  },
}
const ARTICLE = 'K-4711'
const STOCK = '318'
const ASK: Message[] = [
  { role: 'system', content: 'Answer with the tool. Do not guess.' },
  {
    role: 'user',
    content: `How many pieces of article ${ARTICLE} are in stock? Call stock_level, then say the number.`,
  },
]

/** Runs the probe. Never rejects. `timeMs` limits both calls together. */
export async function probeNativeCalls(model: Model, timeMs: number): Promise<NativeCalls> {
  const signal = AbortSignal.timeout(timeMs)
  try {
    const { calls, text, kept } = await readReply(model, { messages: ASK, tools: [TOOL], signal, timeMs })
    const why = faultOf(calls, text)
    if (why !== undefined) return { usable: false, why }
    const result: Message = { role: 'tool', content: `${STOCK} pieces`, toolCallId: calls[0]?.id ?? '' }
    const reply: Message = { role: 'assistant', content: text, toolCalls: calls.slice(0, 1), kept }
    const messages = [...ASK, reply, result]
    const second = await readReply(model, { messages, tools: [TOOL], signal, timeMs })
    return second.text.includes(STOCK)
      ? { usable: true }
      : { usable: false, why: 'It calls tools, but does not read their output.' }
  } catch (error) {
    if (signal.aborted) return { usable: false, isDown: true, why: `It did not answer within ${timeMs / 1000} s.` }
    const isDown = error instanceof ModelError && error.retryable
    return { usable: false, why: operatorSentence(error), ...(isDown && { isDown }) }
  }
}

const inputSchema = z.object({ article: z.string().regex(new RegExp(ARTICLE)) })

/** The fault in the calls, as a sentence. */
function faultOf([call]: ToolCall[], text: string): string | undefined {
  if (!call)
    return text === '' ? 'It calls no tool and says nothing.' : 'It answers in words instead of calling a tool.'
  if (call.name !== TOOL.name) return 'It calls a tool that does not exist.'
  return inputSchema.safeParse(parseJson(call.arguments)).success
    ? undefined
    : 'It calls tools with unusable arguments.'
}
