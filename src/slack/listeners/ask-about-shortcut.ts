import type { OnShortcut } from '../intake/bolt-types.ts'
import { messageOf } from '../../base/errors.ts'
import { askAboutView } from '../views/ask-about-view.ts'
import { signMetadata } from '../intake/signed-metadata.ts'
import { recipientOf, type ListenerOptions } from '../intake/to-question.ts'

/** "Ask about this message" in a message's menu: opens a modal for the question. */
export function askAboutShortcut(options: ListenerOptions): OnShortcut {
  return async ({ ack, shortcut, context }) => {
    await ack()
    const recipient = await recipientOf({ context }, options)
    const installation = recipient && (await options.installations.of(recipient.team))
    const { channel, message_ts: ts, message, trigger_id, response_url: responseUrl } = shortcut
    const metadata = { channel: channel.id, ts, thread: message.thread_ts ?? ts, responseUrl }
    if (!installation) return
    const owner = { user: shortcut.user.id, token: installation.token }
    const view = askAboutView(signMetadata(JSON.stringify(metadata), owner))
    await installation.client.call('views.open', { trigger_id, view }, { effort: 'once' }).catch((error: unknown) => {
      options.log.warn({ channel: channel.id, error: messageOf(error) }, 'the modal could not be opened')
    })
  }
}
