import type { LocalSlack } from './local-slack.ts'
import type { Json, StoredMessage } from './types.ts'

/**
 * Returns a message as a person sees it. While it is streamed in a channel, only its recipient sees it grow, and others
 * see its beginning. Users have measured that; Slack does not document it. The switch `streamsForAll` shows it to all.
 */
export function asSeenBy(
  { faultSwitches }: Pick<LocalSlack, 'faultSwitches'>,
  message: StoredMessage,
  you: string,
): Json {
  const { stream, ...rest } = message
  const isWhole = !stream || message.streaming_state !== 'in_progress' || stream.recipient === you
  return isWhole || faultSwitches.isOn('streamsForAll') ? rest : { ...rest, text: stream.text, chunks: stream.chunks }
}
