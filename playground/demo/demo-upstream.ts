import type { Message } from '../../src/agent/contracts/model.ts'
import { complete } from './demo-model.ts'
import { isObject } from '../slack/args.ts'
import { pause, type ModelPiece, type PlayedUpstream } from '../model/model-pieces.ts'
import type { Json } from '../slack/types.ts'

/** The demo behind the model endpoint, word by word. `paceMs`: the pause between two words. */
export function demoUpstream({ paceMs = 0 } = {}): PlayedUpstream {
  return {
    models: () => Promise.resolve(['demo']),
    complete: (body, signal) => write(messagesIn(body), paceMs, signal),
  }
}

async function* write(messages: Message[], paceMs: number, signal: AbortSignal): AsyncGenerator<ModelPiece> {
  const text = complete(messages)
  for (const piece of text.match(/\S+\s*|\s+/g) ?? []) {
    await pause(paceMs, signal)
    yield { text: piece }
  }
  yield { finish: 'stop' }
  yield { usage: usageOf(messages, text) }
}

/** Estimates tokens: about four characters each. */
function usageOf(messages: Message[], text: string): Json {
  const asked = messages.reduce((sum, { content }) => sum + content.length, 0)
  const [prompt_tokens, completion_tokens] = [Math.ceil(asked / 4), Math.ceil(text.length / 4)]
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

function messagesIn({ messages }: Json): Message[] {
  return (Array.isArray(messages) ? messages : []).filter(isObject).map(messageOf)
}

/** Returns a message's text. The demo reads no pictures. */
function messageOf({ role, content }: Json): Message {
  const parts: unknown[] = Array.isArray(content) ? content : [{ text: content }]
  const texts = parts.flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
  const known = ROLES.find((one) => one === role) ?? 'user'
  return { role: known, content: texts.join('\n') }
}

const ROLES = ['system', 'user', 'assistant', 'tool'] as const
