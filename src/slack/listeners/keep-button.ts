import type { OnButton } from '../intake/bolt-types.ts'
import { respond } from '../client/response-url.ts'
import { recipientOf } from '../intake/to-question.ts'
import type { Services } from '../services.ts'

/** "Keep for myself" below a private answer: the buttons go, the answer stays. */
export function keepButton(services: Services): OnButton {
  const { installations, log, fetch = globalThis.fetch } = services
  return async ({ ack, body, context }) => {
    await ack()
    const recipient = await recipientOf({ context }, services)
    const apiUrl = (recipient && (await installations.of(recipient.team)))?.client.apiUrl ?? ''
    const warn = (fields: object, line: string) => log.warn({ user: body.user.id, ...fields }, line)
    void respond(body.response_url, { delete_original: true }, { apiUrl, fetch, log: warn })
  }
}
