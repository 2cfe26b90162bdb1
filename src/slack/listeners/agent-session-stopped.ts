import type { OnEvent } from '../intake/bolt-types.ts'
import { STOP_WORDS } from '../format/messages.ts'
import { stopRuns, tellAboutStop } from '../intake/stop-runs.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/**
 * `agent_session_stopped`: somebody pressed Slack's own Stop under a thread of an agent app. Slack ends the streams,
 * but not the session. A run ends the session when it stops; this listener ends it if no run is left.
 */
export function agentSessionStopped(services: Services): OnEvent<'agent_session_stopped'> {
  return async ({ event, body, context }) => {
    const recipient = await recipientOf({ context, isShared: body.is_ext_shared_channel === true }, services)
    if (!recipient) return
    const { channel, thread_ts: thread, user } = event
    const place = { team: recipient.team, channel, user, thread }
    const outcome = await stopRuns({ ...place, at: event.event_ts }, services)
    if (outcome === 'nothing') void endSession(place, services)
    if (outcome === 'forbidden') void tellAboutStop({ ...place, isReply: true, text: STOP_WORDS.forbidden }, services)
  }
}

/** Never rejects. */
async function endSession(
  { team, channel, thread }: { team: string; channel: string; thread: string },
  { installations }: Services,
): Promise<void> {
  const installation = await installations.of(team)
  const args = { channel_id: channel, thread_ts: thread, status: 'active' }
  await installation?.client.call('agents.sessions.setStatus', args, { effort: 'once' }).catch(() => undefined)
}
