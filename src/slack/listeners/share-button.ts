import type { OnButton } from '../intake/bolt-types.ts'
import { isPrivate, type Question } from '../../stores/runs/types.ts'
import { PRIVATE } from '../format/messages.ts'
import { readableBy, withRecord } from '../intake/answer-record.ts'
import { pressedOn, type Pressed } from '../intake/pressed.ts'
import { enqueue, type ListenerOptions } from '../intake/to-question.ts'

/** "Share with the channel" below a private answer: a worker posts it once, however often it is pressed. */
export function shareButton(options: ListenerOptions): OnButton {
  return async ({ ack, action, body, context }) => {
    const pressed = await pressedOn(action.value ?? '', { body, context }, options)
    const own = pressed && (await ownPrivate(pressed, options))
    if (own) await enqueue(sharing(own, body.response_url, options.now()), options)
    await ack()
    if (pressed && !own) void pressed.tell(PRIVATE.gone)
  }
}

/** The private question behind the answer, if the presser asked it. */
async function ownPrivate({ id, user }: Pressed, { archive }: ListenerOptions): Promise<Question | undefined> {
  const record = await withRecord(async () => readableBy(user, await archive.load(id)))
  return record && isPrivate(record.question) ? record.question : undefined
}

function sharing({ id, team, channel, user, text }: Question, responseUrl: string, now: Date): Question {
  const thread = `share-${id.slice(`${team}:${channel}:`.length)}`
  const place = { id: `${team}:${channel}:${thread}`, team, channel, thread, user }
  return { ...place, text, surface: 'private', shares: id, responseUrl, at: now.getTime() }
}
