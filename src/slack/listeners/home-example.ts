import type { OnButton } from '../intake/bolt-types.ts'
import { EXAMPLES } from '../views/home.ts'
import { homeThread } from '../intake/publish-home.ts'
import { readMetadata } from '../intake/signed-metadata.ts'
import { enqueue } from '../intake/to-question.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** Presses by one person on one example within this time count as one question. Milliseconds. */
const SAME_PRESS_MS = 10_000

/** An example on the Home: asked in the person's direct message as by `/ask`, with its own root message. */
export function homeExample(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    const recipient = await recipientOf({ context }, services)
    const user = body.user.id
    const channel = recipient && readMetadata(body.view?.private_metadata ?? '', { ...recipient, user })
    const examples = services.examples ?? EXAMPLES
    const n = examples.findIndex((question) => question === action.value)
    const text = examples[n]
    if (recipient && text && channel?.startsWith('D')) {
      const { team } = recipient
      const at = services.now().getTime()
      const thread = homeThread(`${user}-${n}-${Math.floor(at / SAME_PRESS_MS)}`)
      const id = `${team}:${channel}:${thread}`
      await enqueue({ kind: 'asked', id, team, channel, thread, user, text, surface: 'ask', at }, services)
    }
    await ack()
  }
}
