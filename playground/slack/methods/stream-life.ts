/** Ends streamed messages: the app or a person stops one, or it reaches its maximum age or size. */
import { Refusal, type StoredMessage } from '../types.ts'
import type { Workspace } from './method.ts'

/** Returns whether a message is still streaming. Its age is checked at each call. */
export function isStreaming(message: StoredMessage, { now, streamMs }: Pick<Workspace, 'now' | 'streamMs'>): boolean {
  if (message.streaming_state !== 'in_progress') return false
  if (now() - Number(message.ts) * 1000 <= streamMs()) return true
  message.streaming_state = 'stopped'
  message['died'] = 'age'
  return false
}

/**
 * Returns the refusal for a message that is no longer streaming. It is not the app's mistake if the message grew too
 * old, or if a person stopped it.
 */
export function notStreaming(message: StoredMessage): Refusal {
  if (message['stopped_by']) return new Refusal('stopped_by_user', { blame: false })
  const why = 'It was never streaming, is done, or has died.'
  return new Refusal('message_not_in_streaming_state', { why, blame: message['died'] !== 'age' })
}

/** Checks that a text still fits. If it does not, ends the stream. @throws Refusal */
export function checkGrowth(message: StoredMessage, text: string, { streamBytes }: Pick<Workspace, 'streamBytes'>) {
  if (Buffer.byteLength(message.text) + Buffer.byteLength(text) <= streamBytes) return
  message.streaming_state = 'stopped'
  message['died'] = 'length'
  throw new Refusal('message_not_in_streaming_state', { why: `It would be over ${streamBytes} bytes.` })
}
