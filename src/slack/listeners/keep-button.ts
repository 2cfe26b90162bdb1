import type { App, BlockAction, ButtonAction } from '@slack/bolt'
import { respond } from '../client/response-url.ts'
import { KEEP } from '../format/action-ids.ts'
import { recipientOf, type ListenerOptions } from '../intake/to-question.ts'

/** "Keep for myself" below a private answer: the buttons go, the answer stays. */
export function listenToKeepButton(app: App, options: ListenerOptions): void {
  const { installations, log, fetch = globalThis.fetch } = options
  app.action<BlockAction<ButtonAction>>(KEEP, async ({ ack, body, context }) => {
    await ack()
    const recipient = await recipientOf({ context }, options)
    const apiUrl = (recipient && (await installations.of(recipient.team)))?.client.apiUrl ?? ''
    const warn = (fields: object, line: string) => log.warn({ user: body.user.id, ...fields }, line)
    void respond(body.response_url, { delete_original: true }, { apiUrl, fetch, log: warn })
  })
}
