import type { LocalSlack } from '../local-slack.ts'

/** Whether the bot says that it works, or writes. */
export function isAtWork({ store }: LocalSlack): boolean {
  return [...store.channels.values()].some(
    (channel) =>
      [...channel.statuses.keys()].some((thread) => store.status(channel, thread) !== '') ||
      channel.messages.some((message) => message.streaming_state === 'in_progress'),
  )
}
