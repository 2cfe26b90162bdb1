import type { OnButton } from '../intake/bolt-types.ts'
import { STOP_WORDS } from '../format/messages.ts'
import { stopRuns, tellAboutStop } from '../intake/stop-runs.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** The button "Stop" on a run's display: stops only that question. */
export function stopButton(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    const recipient = await recipientOf({ context, id: action.value }, services)
    const { channel_id: channel, message_ts: ts, thread_ts } = placeIn(body.container)
    if (recipient && channel !== '' && ts !== '') {
      const place = { team: recipient.team, channel, user: body.user.id, thread: thread_ts || ts }
      const outcome = await stopRuns(
        { ...place, at: action.action_ts, isMeant: ({ id }) => id === action.value },
        services,
      )
      if (outcome !== 'stopped') void tellAboutStop({ ...place, isReply: true, text: STOP_WORDS[outcome] }, services)
    }
    await ack()
  }
}

/** The location of the message with the button. */
function placeIn(container: Record<string, unknown>): Record<'channel_id' | 'message_ts' | 'thread_ts', string> {
  const text = (name: string) => (typeof container[name] === 'string' ? container[name] : '')
  return { channel_id: text('channel_id'), message_ts: text('message_ts'), thread_ts: text('thread_ts') }
}
