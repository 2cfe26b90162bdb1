import type { LocalSlack } from '../slack/local-slack.ts'

/** Returns whether the bot shows that it works, or writes. */
export function isAtWork(slack: LocalSlack): boolean {
  return threadsAtWork(slack).length > 0
}

/** Returns the threads in which the bot works, by their root's ts. */
export function threadsAtWork({ store }: LocalSlack): { channel: string; ts: string }[] {
  return [...store.channels.values()].flatMap((channel) => {
    const told = [...channel.statuses.keys()].filter((thread) => store.status(channel, thread) !== '')
    const written = channel.messages.filter((message) => message.streaming_state === 'in_progress')
    const threads = new Set([...told, ...written.map(({ ts, thread_ts: thread }) => thread ?? ts)])
    return [...threads].map((ts) => ({ channel: channel.id, ts }))
  })
}
