import { z } from 'zod'
import { cutText } from '../../base/cut-text.ts'
import { warnWith } from '../../base/log.ts'
import { keepLookedAt } from '../../stores/threads/looked-at-channel.ts'
import { inBackground } from '../presses/button-press.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import { onEvent } from './listener.ts'

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
export const agentSessionTitleChanged = onEvent(
  'agent_session_title_changed',
  (services) =>
    async ({ event, context }) => {
      const { channel, thread_ts: thread, title = '', user }: TitleChanged = { ...event }
      const recipient = await recipientOf({ context }, services)
      if (!recipient || !channel || !thread || !user || user === recipient.installation.identity.botUser) return
      const key = `${recipient.team}:${channel}:${thread}`
      const state = { renamed: true, title: cutText(title, TITLE_CHARS) }
      // Slack does not wait for it, and a title is not worth a redelivery.
      const warn = warnWith(services.log, { thread: key }, 'a title could not be kept')
      await services.threads.patch(key, state).catch(warn)
    },
)

const channelId = z.string().regex(/^[CGD][A-Z0-9]{1,20}$/)

/** The channel that a person is looking at. Slack also reports canvases and lists, which are ignored. */
const entity = z.union([
  z.object({ channel_id: channelId }).transform((one) => one.channel_id),
  z.object({ message_context: z.object({ channel_id: channelId }) }).transform((one) => one.message_context.channel_id),
  z.object({ type: z.string().includes('channel'), value: channelId }).transform((one) => one.value),
])

const changed = z.object({
  channel: channelId,
  context: z.object({ entities: z.array(z.unknown()).max(100) }),
})

/** `app_context_changed`: a person with the agent open looks at something else. Only a channel is stored. */
export const appContextChanged = onEvent('app_context_changed', (services) => async ({ event, context }) => {
  const recipient = await recipientOf({ context }, services)
  const told = changed.safeParse(event).data
  const seen = told?.context.entities.map((one) => entity.safeParse(one).data).find((one) => one !== undefined)
  if (!recipient || !told || seen === undefined) return
  const dm = { team: recipient.team, channel: told.channel }
  const at = services.now().getTime()
  inBackground('app_context_changed', services, () => keepLookedAt(services.threads, dm, { channel: seen, at }))
})
