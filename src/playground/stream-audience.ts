/** In a channel only one person sees a streamed message grow; the others see its first piece until it ends. */
import type { LocalSlack } from './local-slack.ts'
import type { Message } from './types.ts'

/** A message as somebody sees it who may not be the one that its stream is for. Whole where everybody sees streams grow. */
export function asSeenBy(
  { store, trouble }: Pick<LocalSlack, 'store' | 'trouble'>,
  channel: string,
  { message, you }: { message: Message; you: string },
): Message {
  const stream = store.streams.get(`${channel}:${message.ts}`)
  const isWhole = !stream?.recipient || stream.recipient === you || message.streaming_state !== 'in_progress'
  if (isWhole || !trouble.isOn('streamsForOne')) return message
  const chunks = (message.chunks ?? []).slice(0, stream.first)
  const text = chunks.map((chunk) => (chunk['type'] === 'markdown_text' ? String(chunk['text']) : '')).join('')
  return { ...message, chunks, text }
}
