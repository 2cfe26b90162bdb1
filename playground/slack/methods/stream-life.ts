/** How a streamed message ends: it is stopped, a person stops it, or it dies of age or length. */
import { Refusal, type Message } from '../types.ts'
import type { Workspace } from './method.ts'

/** Whether a message still grows. Age is looked at when it is next asked for, which is when it shows. */
export function isStreaming(message: Message, { now, streamMs }: Pick<Workspace, 'now' | 'streamMs'>): boolean {
  if (message.streaming_state !== 'in_progress') return false
  if (now() - Number(message.ts) * 1000 <= streamMs()) return true
  message.streaming_state = 'stopped'
  message['died'] = 'age'
  return false
}

/** Why a message that was streaming does not any more. Old age is nobody's mistake; so is a person who stops it. */
export function notStreaming(message: Message): Refusal {
  if (message['stopped_by']) return new Refusal('stopped_by_user', { blame: false })
  const why = 'It was never streaming, is done, or has died.'
  return new Refusal('message_not_in_streaming_state', { why, blame: message['died'] !== 'age' })
}

/** @throws Refusal where this many bytes more would be too many: the stream dies of them, and stays as it was. */
export function checkGrowth(message: Message, text: string, { streamBytes }: Pick<Workspace, 'streamBytes'>) {
  if (Buffer.byteLength(message.text) + Buffer.byteLength(text) <= streamBytes) return
  message.streaming_state = 'stopped'
  message['died'] = 'length'
  throw new Refusal('message_not_in_streaming_state', { why: `It would be over ${streamBytes} bytes.` })
}
