import type { OnButton } from '../intake/bolt-types.ts'
import { respond } from '../client/response-url.ts'
import { recipientOf, type ListenerOptions } from '../intake/to-question.ts'

/** "Keep for myself" below a private answer: removes the buttons and leaves the answer. */
export function keepButton(options: ListenerOptions): OnButton {
  const { installations, log, fetch = globalThis.fetch } = options
  return async ({ ack, body, context }) => {
    await ack()
    const recipient = await recipientOf({ context }, options)
    const apiUrl = (recipient && (await installations.of(recipient.team)))?.client.apiUrl ?? ''
    const warn = (fields: object, line: string) => log.warn({ user: body.user.id, ...fields }, line)
    void respond(body.response_url, { delete_original: true }, { apiUrl, fetch, log: warn })
  }
}
