import { STOP } from '../format/action-ids.ts'
import { STOP_WORDS } from '../format/messages.ts'
import { personOfEvent } from '../intake/event-person.ts'
import { presserOf, recipientOf } from '../intake/find-recipient.ts'
import { stopRuns, tellAboutStop } from '../intake/stop-runs.ts'
import type { Services } from '../services.ts'
import { onButton, onEvent } from './listener.ts'

/** The button "Stop" on a run's display: stops only that question. */
export const stopButton = onButton(STOP, (services) => async ({ ack, action, body, context }) => {
  const recipient = await recipientOf({ context, id: action.value }, services)
  const { channel_id: channel, message_ts: ts, thread_ts } = placeIn(body.container)
  if (recipient && channel !== '' && ts !== '') {
    const place = {
      team: recipient.team,
      channel,
      ...(await presserOf(body, recipient.installation, services)),
      thread: thread_ts || ts,
    }
    const outcome = await stopRuns(
      { ...place, at: action.action_ts, isMeant: ({ id }) => id === action.value },
      services,
    )
    const text = outcome === 'forbidden' ? STOP_WORDS.forbidden : STOP_WORDS.ended
    if (outcome !== 'stopped') void tellAboutStop({ ...place, isReply: true, text }, services)
  }
  await ack()
})

/** The location of the message with the button. */
function placeIn(container: Record<string, unknown>): Record<'channel_id' | 'message_ts' | 'thread_ts', string> {
  const text = (name: string) => (typeof container[name] === 'string' ? container[name] : '')
  return { channel_id: text('channel_id'), message_ts: text('message_ts'), thread_ts: text('thread_ts') }
}

/**
 * `agent_session_stopped`: somebody pressed Slack's own Stop under a thread of an agent app. Slack ends the streams,
 * but not the session. A run ends the session when it stops; this listener ends it if no run is left.
 */
export const agentSessionStopped = onEvent('agent_session_stopped', (services) => async ({ event, body, context }) => {
  const recipient = await recipientOf({ context, isShared: body.is_ext_shared_channel === true }, services)
  if (!recipient) return
  const { channel, thread_ts: thread } = event
  const person = await personOfEvent({ event, body, channel }, recipient, services)
  const place = { team: recipient.team, channel, ...person, thread }
  const outcome = await stopRuns({ ...place, at: event.event_ts }, services)
  if (outcome === 'nothing') void endSession(place, services)
  if (outcome === 'forbidden') void tellAboutStop({ ...place, isReply: true, text: STOP_WORDS.forbidden }, services)
})

/** Never rejects. */
async function endSession(
  { team, channel, thread }: { team: string; channel: string; thread: string },
  { installations }: Services,
): Promise<void> {
  const installation = await installations.of(team)
  const args = { channel_id: channel, thread_ts: thread, status: 'active' }
  await installation?.client.call('agents.sessions.setStatus', args, { effort: 'once' }).catch(() => undefined)
}
