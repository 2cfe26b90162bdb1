import { readableBy, withRecord } from '../../question/may-read-answer.ts'
import type { OnButton } from '../intake/bolt-types.ts'
import { isPrivate, type Question } from '../../stores/runs/types.ts'
import { PRIVATE } from '../format/audience-words.ts'
import { isInDirect, pressedOn, type ButtonPress } from '../intake/button-press.ts'
import { enqueue } from '../intake/to-question.ts'
import type { Services } from '../services.ts'

/** "Share with the channel" below a private answer: a worker posts it, once, however often the button is pressed. */
export function shareButton(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    const pressed = await pressedOn(action.value ?? '', { body, context, isAnywhere: isInDirect(body) }, services)
    const own = pressed && (await ownPrivate(pressed, services))
    if (own) await enqueue(sharing(own, body.response_url, services.now()), services)
    await ack()
    if (pressed && !own) void pressed.tell(PRIVATE.gone)
  }
}

/** Returns the private question whose answer it is, if it is the presser's. */
async function ownPrivate({ id, user }: ButtonPress, { archive }: Services): Promise<Question | undefined> {
  const record = await withRecord(async () => readableBy(user, await archive.load(id)))
  return record && isPrivate(record.question) ? record.question : undefined
}

function sharing({ id, team, channel, user, text }: Question, responseUrl: string, now: Date): Question {
  const thread = `share-${id.slice(`${team}:${channel}:`.length)}`
  const place = { id: `${team}:${channel}:${thread}`, team, channel, thread, user }
  return { kind: 'share', ...place, text, surface: 'private', shares: id, responseUrl, at: now.getTime() }
}
