import type { OnEvent } from '../intake/bolt-types.ts'
import { cutText } from '../../base/cut-text.ts'
import { messageOf } from '../../base/errors.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** The longest title that Slack accepts. */
const TITLE_CHARS = 200

/** The fields of `agent_session_title_changed` that this listener reads. */
interface TitleChanged {
  channel?: string
  thread_ts?: string
  title?: string
  user?: string
}

/** `agent_session_title_changed`: a person gave an agent's session a title, so the bot no longer sets one. */
export function agentSessionTitleChanged(services: Services): OnEvent<'agent_session_title_changed'> {
  return async ({ event, context }) => {
    const { channel, thread_ts: thread, title = '', user }: TitleChanged = { ...event }
    const recipient = await recipientOf({ context }, services)
    if (!recipient || !channel || !thread || !user || user === recipient.installation.identity.botUser) return
    const key = `${recipient.team}:${channel}:${thread}`
    const state = { renamed: true, title: cutText(title, TITLE_CHARS) }
    // Slack does not wait for it, and a title is not worth a redelivery.
    await services.threads.patch(key, state).catch((error: unknown) => {
      services.log.warn({ thread: key, error: messageOf(error) }, 'a title could not be kept')
    })
  }
}
