import type { LocalSlack } from './local-slack.ts'
import type { Json, Message } from './types.ts'

/**
 * A message as somebody sees it. While it is streamed in a channel, only the one that it is for sees it grow, and
 * others see how it began (measured once by others, written nowhere by Slack), unless the switch says that all see it.
 */
export function asSeenBy({ trouble }: Pick<LocalSlack, 'trouble'>, message: Message, you: string): Json {
  const { stream, ...rest } = message
  const isWhole = !stream || message.streaming_state !== 'in_progress' || stream.recipient === you
  return isWhole || trouble.isOn('streamsForAll') ? rest : { ...rest, text: stream.text, chunks: stream.chunks }
}
