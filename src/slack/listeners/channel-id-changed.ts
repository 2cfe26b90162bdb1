import type { OnEvent } from '../intake/bolt-types.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/**
 * `channel_id_changed`: a private channel becomes shared. Its settings, schedules, threads with their messages, grants
 * and files, and the calls that wait for an approval move with it; its remembered texts do not.
 */
export function channelIdChanged(services: Services): OnEvent<'channel_id_changed'> {
  return async ({ event, context }) => {
    const recipient = await recipientOf({ context }, services)
    if (!recipient) return
    const { team } = recipient
    const { history, channelSettings, schedules, remembered, threads, queue } = services
    const { old_channel_id: channel, new_channel_id: to } = event
    const settings = await channelSettings.load({ team, channel })
    if (Object.keys(settings).length > 0) {
      await channelSettings.save({ team, channel: to }, settings)
      await channelSettings.save({ team, channel }, {})
    }
    await schedules.moveChannel({ team, channel }, to)
    // It was written when no other company could read it.
    await remembered.forgetChannel({ team, channel })
    // Buttons carry the old id.
    await threads.patch(`${team}:${channel}`, { movedTo: to })
    for (const store of [queue, history, threads, await services.files()])
      await store.moveChannel({ team, channel }, to)
  }
}
