import type { OnEvent } from '../intake/bolt-types.ts'
import { messageOf } from '../../base/errors.ts'
import { headOf } from '../format/escape.ts'
import { recipientOf, type ListenerOptions } from '../intake/to-question.ts'

/** The longest title that Slack accepts. */
const TITLE_CHARS = 200

/** The fields of `agent_session_title_changed` that this listener reads. */
interface TitleChanged {
  channel?: string
  thread_ts?: string
  title?: string
  user?: string
}

/** `agent_session_title_changed`: somebody renamed an agent's session. The bot no longer sets its title. */
export function agentSessionTitleChanged(options: ListenerOptions): OnEvent<'agent_session_title_changed'> {
  return async ({ event, context }) => {
    const { channel, thread_ts: thread, title = '', user }: TitleChanged = { ...event }
    const recipient = await recipientOf({ context }, options)
    if (!recipient || !channel || !thread || !user || user === recipient.identity.botUser) return
    const key = `${recipient.team}:${channel}:${thread}`
    const state = { renamed: true, title: headOf(title, TITLE_CHARS) }
    // Never fails the delivery: a lost title is not worth a redelivery.
    await options.threads.patch(key, state).catch((error: unknown) => {
      options.log.warn({ thread: key, error: messageOf(error) }, 'a title could not be kept')
    })
  }
}
