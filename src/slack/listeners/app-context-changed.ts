import type { OnEvent } from '../intake/bolt-types.ts'
import { z } from 'zod'
import { keepLookedAt } from '../../stores/threads/looked-at-channel.ts'
import { inBackground } from '../intake/button-press.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

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
export function appContextChanged(services: Services): OnEvent<'app_context_changed'> {
  return async ({ event, context }) => {
    const recipient = await recipientOf({ context }, services)
    const told = changed.safeParse(event).data
    const seen = told?.context.entities.map((one) => entity.safeParse(one).data).find((one) => one !== undefined)
    if (!recipient || !told || seen === undefined) return
    const dm = { team: recipient.team, channel: told.channel }
    const at = services.now().getTime()
    inBackground('app_context_changed', services, () => keepLookedAt(services.threads, dm, { channel: seen, at }))
  }
}
