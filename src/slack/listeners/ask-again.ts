import { changesOf, withDoneBefore } from '../../question/changes-before.ts'
import { readableBy, withRecord } from '../../question/may-read-answer.ts'
import { ANSWER_GONE } from '../format/messages.ts'
import type { OnButton } from '../intake/bolt-types.ts'
import {
  askedMessage,
  baseOf,
  conversationOf,
  isPrivate,
  type Question,
  type QuestionBase,
} from '../../stores/runs/types.ts'
import { pressedOn, type ButtonPress } from '../intake/button-press.ts'
import { enqueue } from '../intake/to-question.ts'
import type { Services } from '../services.ts'

/** Presses by one person within this time count as one question. Milliseconds. */
const SAME_PRESS_MS = 10_000

/** The button "Ask again": repeats the question as the presser's own, in the same thread. */
export function askAgain(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    const pressed = await pressedOn(action.value ?? '', { body, context }, services)
    const refusal = pressed && (await enqueueAgain(pressed, body.response_url, services))
    await ack()
    if (refusal) void pressed.tell(refusal)
  }
}

/** @returns why it is not asked. @throws the error of a store */
async function enqueueAgain(
  { id, channel, user, userTeam }: ButtonPress,
  responseUrl: string | undefined,
  services: Services,
): Promise<string | undefined> {
  const record = await withRecord(async () => readableBy(user, await services.archive.load(id)))
  if (!record) return ANSWER_GONE
  // The channel may have another id by now.
  const asked = { ...record.question, ...(channel === undefined ? {} : { channel }) }
  const { tools } = await services.settingsFor(asked)
  const isForAsker = record.question.forAsker === true
  const question = withDoneBefore(asked, await changesOf(record, { tools }), { isForAsker })
  const again = againOf(question, { user, ...(userTeam ? { userTeam } : {}) }, services.now())
  const { running, waiting } = await services.queue.inThread(conversationOf(question))
  const isAsked = [running, ...waiting].some((one) => one?.id.startsWith(idBefore(again.id)))
  if (isAsked) return 'I am already working on it again.'
  await enqueue(isPrivate(again) && responseUrl ? { ...again, responseUrl } : again, services)
  return undefined
}

/** The fields that belong to the original message or to its asker. */
const OF_MESSAGE = [
  ...(['ts', 'responseUrl', 'eventId', 'isLate', 'lookingAt', 'userTeam', 'forAsker'] as const),
] satisfies (keyof QuestionBase)[]

/**
 * The question with the presser as its asker. Quick presses share its id. The first three parts of the id are those of
 * the original message, which marks it as the same question. The presser has no message of their own in the thread.
 */
function againOf(question: Question, presser: Pick<Question, 'user' | 'userTeam'>, now: Date): Question {
  const press = Math.floor(now.getTime() / SAME_PRESS_MS)
  const kept = baseOf(question)
  for (const field of OF_MESSAGE) delete kept[field]
  return {
    ...(question.kind === 'about' ? { kind: 'about', about: question.about } : { kind: 'asked' }),
    ...kept,
    id: `${askedMessage(question.id)}:again-${presser.user}-${press}`,
    ...presser,
    at: now.getTime(),
    firstAt: question.firstAt ?? question.at,
  }
}

/** The part of the id that all presses by the same person share. */
function idBefore(id: string): string {
  return id.slice(0, id.lastIndexOf('-') + 1)
}
