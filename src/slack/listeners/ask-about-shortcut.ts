import type { OnShortcut } from '../intake/bolt-types.ts'
import { messageOf } from '../../base/errors.ts'
import { askAboutView } from '../views/ask-about-view.ts'
import { signMetadata } from '../intake/signed-metadata.ts'
import { recipientIn } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** "Ask about this message", in a message's menu: opens a modal with the question. */
export function askAboutShortcut(services: Services): OnShortcut {
  return async ({ ack, shortcut, context }) => {
    await ack()
    const recipient = await recipientIn(shortcut.channel.id, { context }, services)
    if (!recipient) return
    const { team, installation } = recipient
    const { channel, message_ts: ts, message, trigger_id, response_url: responseUrl } = shortcut
    const metadata = { team, channel: channel.id, ts, thread: message.thread_ts ?? ts, responseUrl }
    const view = askAboutView(signMetadata(JSON.stringify(metadata), { user: shortcut.user.id, installation }))
    await installation.client.call('views.open', { trigger_id, view }, { effort: 'once' }).catch((error: unknown) => {
      services.log.warn({ channel: channel.id, error: messageOf(error) }, 'the modal could not be opened')
    })
  }
}
