import { changesOf, withDoneBefore } from '../../question/changes-before.ts'
import { readableBy, withRecord } from '../../question/may-read-answer.ts'
import { editedQuestion } from '../../question/take-back.ts'
import type { RunRecord } from '../../stores/archive/types.ts'
import { isSamePerson } from '../../stores/runs/audience.ts'
import {
  askedAt,
  baseOf,
  conversationOf,
  isPrivate,
  originalId,
  type Question,
  type QuestionBase,
} from '../../stores/runs/types.ts'
import { respond } from '../client/response-url.ts'
import { readMessages } from '../client/thread-messages.ts'
import { readContent } from '../content/message-content.ts'
import { ASK_AGAIN, ASK_EDITED } from '../format/action-ids.ts'
import { ANSWER_GONE } from '../format/messages.ts'
import { asWordsAsk } from '../intake/hear-private-words.ts'
import { askedWords } from '../intake/question-parts.ts'
import { pressedOn, SAME_PRESS_MS, type ButtonPress } from '../presses/button-press.ts'
import { editTsOf } from '../intake/edited-or-deleted.ts'
import { presserOf, recipientOf } from '../intake/find-recipient.ts'
import { enqueue } from '../intake/to-question.ts'
import type { Services } from '../services.ts'
import { onButton } from './listener.ts'

/** The button "Ask again": repeats the question as the pressing user's own, in the same thread. */
export const askAgain = onButton(ASK_AGAIN, (services) => async ({ ack, action, body, context }) => {
  const pressed = await pressedOn(action.value ?? '', { body, context }, services)
  const refusal = pressed && (await enqueueAgain(pressed, services))
  await ack()
  if (refusal) void pressed.tell(refusal)
})

/** @returns why it is not asked. @throws the error of a store */
async function enqueueAgain(
  { id, channel, responseUrl, ...presser }: ButtonPress,
  services: Services,
): Promise<string | undefined> {
  const { user, userTeam } = presser
  const record = await withRecord(async () => readableBy(presser, await services.archive.load(id)))
  if (!record) return ANSWER_GONE
  // The channel may have another id by now.
  const asked = { ...record.question, ...(channel === undefined ? {} : { channel }) }
  const question = await withChangesOf(record, asked, services)
  const again = againOf(question, { user, userTeam }, services.now())
  const { running, waiting } = await services.queue.inThread(conversationOf(question))
  const isSame = (one: Question) => one.isRepeat && one.user === user && originalId(one) === originalId(again)
  const isAsked = [running, ...waiting].some((one) => one && isSame(one))
  if (isAsked) return 'I am already working on it again.'
  await enqueue(isPrivate(again) && responseUrl ? { ...again, responseUrl } : again, services)
  return undefined
}

/** The fields that belong to the original message or to its asker. */
const OF_MESSAGE = [
  ...(['ts', 'responseUrl', 'eventId', 'isLate', 'lookingAt', 'userTeam', 'forAsker'] as const),
] satisfies (keyof QuestionBase)[]

/** The question as asked by the user who pressed, who has no message in the thread. Quick presses share its id. */
function againOf(question: Question, person: Pick<Question, 'user' | 'userTeam'>, now: Date): Question {
  const press = Math.floor(now.getTime() / SAME_PRESS_MS)
  const kept = baseOf(question)
  for (const field of OF_MESSAGE) delete kept[field]
  return {
    ...(question.kind === 'about' ? { kind: 'about', about: question.about } : { kind: 'asked' }),
    ...kept,
    id: `${originalId(question)}:again-${person.user}-${press}`,
    original: { id: originalId(question), ts: askedAt(question) },
    isRepeat: true,
    ...person,
    at: now.getTime(),
    firstAt: question.firstAt ?? question.at,
  }
}

/** Time limit for finding the message, in ms. Slack waits three seconds for the ack. */
const PATIENCE_MS = 2_500

/** The button "Ask again" under an edited question: asks it with the new text. Only for the asker. */
export const askEdited = onButton(ASK_EDITED, (services) => async ({ ack, action, body, context }) => {
  const recipient = await recipientOf({ context, id: action.value }, services)
  const record = await services.archive.load(action.value ?? '')
  const isThere = record !== undefined && recipient?.team === record.question.team
  const isAskers = isThere && isSamePerson(await presserOf(body, recipient.installation, services), record.question)
  const again = isAskers ? await asItReadsNow(record.question, services) : undefined
  if (again && record) await enqueue(await withChangesOf(record, again, services), services)
  await ack()
  if (again) void withdrawButton(body.response_url, again.team, services)
})

async function withChangesOf(record: RunRecord, again: Question, services: Services): Promise<Question> {
  const { tools } = await services.settingsFor(again)
  const isForAsker = record.question.forAsker === true
  return withDoneBefore(again, await changesOf(record, tools), isForAsker)
}

/** Undefined if the message is gone, or was never edited. @throws the error of the Slack call */
async function asItReadsNow(question: Question, services: Services): Promise<Question | undefined> {
  const installation = await services.installations.of(question.team)
  const { team, channel, thread, ts, user, surface } = question
  if (!installation || ts === undefined) return undefined
  const { client, identity } = installation
  const signal = AbortSignal.timeout(PATIENCE_MS)
  for await (const message of readMessages(client, { channel, thread, since: ts, until: ts, signal })) {
    const editTs = message.ts === ts ? editTsOf(message.edited) : undefined
    if (!editTs) continue
    const edited = editedQuestion({ id: `${team}:${channel}:${ts}`, ts }, editTs)
    const words = askedWords(readContent(message, identity.botUser))
    const when = { at: services.now().getTime(), firstAt: question.firstAt ?? question.at }
    const { userTeam } = question
    const place = { team, channel, thread, user, ...(userTeam ? { userTeam } : {}), ts }
    const again: Question = { kind: 'asked', ...edited, ...place, surface, ...words, ...when }
    return asWordsAsk(again, surface === 'private')
  }
  return undefined
}

/** Removes the button, which works once. */
async function withdrawButton(url: string, team: string, { installations, log }: Services): Promise<void> {
  const client = (await installations.of(team))?.client
  if (client) await respond(url, { delete_original: true }, client, log)
}
