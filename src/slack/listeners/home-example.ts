import type { OnButton } from '../intake/bolt-types.ts'
import type { Question } from '../../stores/runs/types.ts'
import { EXAMPLES } from '../views/home-view.ts'
import { homeThread } from '../intake/publish-home.ts'
import { readMetadata } from '../intake/signed-metadata.ts'
import { enqueue } from '../intake/to-question.ts'
import { recipientOf } from '../intake/recipient.ts'
import type { Services } from '../services.ts'

/** Presses by one person on one example within this time count as one question. Milliseconds. */
const SAME_PRESS_MS = 10_000

/** An example on the Home: asked in the person's direct message as by `/ask`, with its own root message. */
export function homeExample(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    const recipient = await recipientOf({ context }, services)
    const installation = recipient && (await services.installations.of(recipient.team))
    const owner = installation && { user: body.user.id, key: installation.signingKey }
    const channel = owner && readMetadata(body.view?.private_metadata ?? '', owner)
    const examples = services.examples ?? EXAMPLES
    const n = examples.findIndex((question) => question === action.value)
    const example = examples[n]
    if (recipient && example && channel?.startsWith('D')) {
      const now = services.now().getTime()
      const thread = homeThread(`${body.user.id}-${n}-${Math.floor(now / SAME_PRESS_MS)}`)
      await enqueue(
        questionIn({ team: recipient.team, channel, user: body.user.id }, { thread, text: example, now }),
        services,
      )
    }
    await ack()
  }
}

function questionIn(
  place: Pick<Question, 'team' | 'channel' | 'user'>,
  { thread, text, now }: { thread: string; text: string; now: number },
): Question {
  return { ...place, id: `${place.team}:${place.channel}:${thread}`, thread, text, surface: 'ask', at: now }
}
