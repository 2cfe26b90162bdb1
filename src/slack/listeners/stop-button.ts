import type { OnButton } from '../intake/bolt-types.ts'
import { STOP_WORDS } from '../format/messages.ts'
import { stopRuns, sendEphemeral } from '../intake/stop-runs.ts'
import { recipientOf, type ListenerOptions } from '../intake/to-question.ts'

/** The "Stop" button on a run: stops that question alone. */
export function stopButton(options: ListenerOptions): OnButton {
  return async ({ ack, action, body, context }) => {
    const recipient = await recipientOf({ context }, options)
    const { channel_id: channel, message_ts: ts, thread_ts } = placeIn(body.container)
    if (recipient && channel !== '' && ts !== '') {
      const place = { team: recipient.team, channel, user: body.user.id, thread: thread_ts || ts }
      const outcome = await stopRuns(
        { ...place, at: action.action_ts, isMeant: ({ id }) => id === action.value },
        options,
      )
      if (outcome !== 'stopped') void sendEphemeral({ ...place, isReply: true, text: STOP_WORDS[outcome] }, options)
    }
    await ack()
  }
}

/** The location of the message with the button. */
function placeIn(container: Record<string, unknown>): Record<'channel_id' | 'message_ts' | 'thread_ts', string> {
  const text = (name: string) => (typeof container[name] === 'string' ? container[name] : '')
  return { channel_id: text('channel_id'), message_ts: text('message_ts'), thread_ts: text('thread_ts') }
}
