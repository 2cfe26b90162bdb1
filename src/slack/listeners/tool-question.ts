import type { View } from '@slack/web-api'
import { z } from 'zod'
import type { ToolQuestion } from '../../agent/contracts/tool.ts'
import { messageOf } from '../../base/errors.ts'
import { LINK_MS } from '../../question/connections/connections.ts'
import { isSamePerson, type Presser } from '../../stores/runs/audience.ts'
import type { LoadedRun } from '../../stores/runs/run-control.ts'
import type { Decision, Question } from '../../stores/runs/types.ts'
import { waitKey } from '../../stores/runs/wait-keys.ts'
import { waitRef, waitValue, type WaitRef } from '../approvals/button-value.ts'
import { choiceOf, connectCard, endedQuestionCard } from '../approvals/tool-question-card.ts'
import { questionEnd, questionPost, QUESTION_WORDS, type QuestionEnd } from '../approvals/tool-question-words.ts'
import { tellPerson } from '../client/ephemeral.ts'
import type { Installation } from '../client/installations.ts'
import { replaceMessage } from '../client/response-url.ts'
import { isSeenByAll } from '../client/thread-messages.ts'
import {
  QUESTION_CHOOSE,
  QUESTION_CONNECT,
  QUESTION_DECLINE,
  QUESTION_DONE,
  QUESTION_FORM,
  QUESTION_LINK,
  QUESTION_OPEN,
  QUESTION_PAGE,
  QUESTION_PRESSES,
} from '../format/action-ids.ts'
import type { Content } from '../format/blocks.ts'
import { mayAskNow } from '../intake/access.ts'
import {
  inBackground,
  isInDirect,
  openModal,
  pressedOn,
  showOrTell,
  type ButtonPress,
} from '../presses/button-press.ts'
import { installationFor } from '../intake/find-recipient.ts'
import { openedBy, signMetadata } from '../presses/signed-metadata.ts'
import type { Services } from '../services.ts'
import { noteModal } from '../views/plain-blocks.ts'
import { readSubmittedAnswer } from '../views/tool-question-input.ts'
import { pageContent, questionView } from '../views/tool-question-view.ts'
import { onButton, onForm } from './listener.ts'

/** The buttons on the card of a tool's question, and on the page that it leads to. */
export const toolQuestionButton = onButton(QUESTION_PRESSES, (services) => async ({ ack, action, body, context }) => {
  const { action_id: id, value = '' } = action
  const ref = waitRef(value)
  // If Slack refused the card in the channel, it went to the asker's direct messages.
  const isAnywhere = isInDirect(body)
  const pressed = ref && id !== QUESTION_LINK && (await pressedOn(ref.id, { body, context, isAnywhere }, services))
  if (!ref || !pressed) return ack()
  const after = await followPress(id, ref, pressed, services).catch((error: unknown) => {
    warnOfLoss(ref, error, services)
    return () => pressed.tell(QUESTION_WORDS.failed)
  })
  await ack()
  inBackground(id, services, after)
})

/** The form with the asker's answer. */
export const toolQuestionForm = onForm(QUESTION_FORM, (services) => async ({ ack, view, body, context }) => {
  const opened = await openedBy(view, body, context, services)
  if (!opened) return ack()
  const { value, responseUrl } = metadataSchema.parse(JSON.parse(opened.metadata))
  const ref = waitRef(value)
  const installation = ref && (await installationFor(ref.id, context, services))
  if (!ref || !installation) return ack()
  const { user } = body
  const sent = { ref, user: user.id, values: view.state.values, responseUrl, installation }
  const reply = await followForm(sent, services).catch((error: unknown) => {
    warnOfLoss(ref, error, services)
    return note(QUESTION_WORDS.failed)
  })
  await (reply ? ack(reply) : ack())
})

/** Logs that an answer was lost, without the typed content. */
function warnOfLoss({ id, key }: WaitRef, error: unknown, { log }: Services): void {
  log.warn({ question: id, wait: key, error: messageOf(error) }, 'an answer to a tool’s question could not be kept')
}

/** Handles a press before the ack. @returns the work after the ack: each press has a reply or an effect */
async function followPress(
  id: string,
  ref: WaitRef,
  pressed: ButtonPress,
  services: Services,
): Promise<() => Promise<void>> {
  const found = await findQuestion(ref, services)
  if (!found) return () => pressed.tell(QUESTION_WORDS.gone)
  if (!isAsker(pressed, found) || !(await mayAskNow(found.question, services)))
    return () => pressed.tell(QUESTION_WORDS.notYours)
  // The question had ended before the press.
  const late = async (end: QuestionEnd) => {
    await pressed.tell(QUESTION_WORDS[end])
    await showEnd(found, id, pressed, end, services)
  }
  const { end } = found
  if (end) return () => late(end)
  if (id === QUESTION_CONNECT) return () => renewLink(found, pressed, services)
  if (id === QUESTION_OPEN) return () => openForm(found, pressed)
  if (id === QUESTION_PAGE) return () => showPage(found, pressed, services)
  const answer = answerBy(id, found)
  if (!answer) return () => pressed.tell(QUESTION_WORDS.over)
  const outcome = await answerQuestion(found, answer, services)
  if (outcome !== 'woken') return () => late(outcome)
  return async () => {
    if (id === QUESTION_DONE) await pressed.tell(QUESTION_WORDS.thanks)
    await showEnd(found, id, pressed, answer.action, services)
  }
}

function answerBy(id: string, { asked }: AskedQuestion): GivenAnswer | undefined {
  if (id === QUESTION_DECLINE) return { action: 'decline' }
  if (id === QUESTION_DONE) return asked.url === undefined ? undefined : { action: 'accept' }
  const content = id.startsWith(QUESTION_CHOOSE) ? choiceOf(asked, Number(id.slice(QUESTION_CHOOSE.length))) : undefined
  return content && { action: 'accept', content }
}

/** The button opens its link in the browser. If the link has expired, the card gets a new one. */
async function renewLink(
  { question, ref, asked }: AskedQuestion,
  { installation, responseUrl, shownAt }: ButtonPress,
  { connections, now, log }: Services,
): Promise<void> {
  if (!connections || now().getTime() - shownAt < LINK_MS) return
  const link = await connections.link(question, asked.server)
  const content = connectCard(asked, { asker: question.user, value: waitValue(question, ref.key), link })
  const { id, channel, user } = question
  await tellPerson(
    { channel, user, responseUrl, replaces: true },
    content,
    installation.client,
    log.child({ question: id }),
  )
}

async function openForm({ question, ref, asked }: AskedQuestion, pressed: ButtonPress): Promise<void> {
  const metadata = signMetadata(
    JSON.stringify({ value: waitValue(question, ref.key), responseUrl: pressed.responseUrl }),
    pressed,
  )
  const open = () => openModal(pressed.installation, pressed.trigger, questionView(asked, metadata))
  await showOrTell(pressed, open, QUESTION_WORDS.unopened)
}

/** Shows the address only to the asker. The bot never fetches it. */
async function showPage(
  { question, ref, asked }: AskedQuestion,
  { installation, responseUrl }: ButtonPress,
  { log }: Services,
): Promise<void> {
  const { id, channel, thread, ts, user } = question
  const place = { channel, user, responseUrl, thread_ts: ts !== undefined && thread !== ts ? thread : undefined }
  const content = pageContent(asked, waitValue(question, ref.key))
  await tellPerson(place, content, installation.client, log.child({ question: id }))
}

/** Replaces the card with its final form. An ephemeral message that shows a page stays as it is. */
async function showEnd(
  found: AskedQuestion,
  id: string,
  { installation, responseUrl }: ButtonPress,
  end: QuestionEnd,
  services: Services,
): Promise<void> {
  const isOnPage = found.asked.url !== undefined && id !== QUESTION_PAGE
  const at = isOnPage && found.card !== undefined ? undefined : responseUrl
  const content = endedQuestionCard(found.asked, found.question.user, end)
  await replaceQuestion(found, { content, responseUrl: at, installation }, services)
}

const metadataSchema = z.object({ value: z.string(), responseUrl: z.string().optional() })

interface SubmittedForm {
  ref: WaitRef
  user: string
  values: unknown
  responseUrl: string | undefined
  installation: Installation
}

type SubmissionReply =
  { response_action: 'errors'; errors: Record<string, string> } | { response_action: 'update'; view: View }

/**
 * Answers the tool's question and resumes the run. Returns input errors or a note; undefined closes the modal.
 * @throws if the store fails
 */
async function followForm(
  { ref, user, values, responseUrl, installation }: SubmittedForm,
  services: Services,
): Promise<SubmissionReply | undefined> {
  const found = await findQuestion(ref, services)
  if (!found) return note(QUESTION_WORDS.gone)
  const { question, asked, end } = found
  // Only the asker was shown the modal.
  const isTheirs = isAsker({ user, userTeam: question.userTeam }, found)
  if (!isTheirs || !(await mayAskNow(question, services))) return note(QUESTION_WORDS.notYours)
  if (end) return note(QUESTION_WORDS[end])
  const read = await readSubmittedAnswer(values, asked)
  if ('errors' in read) return { response_action: 'errors', errors: read.errors }
  const outcome = await answerQuestion(found, { action: 'accept', content: read.content }, services)
  const content = endedQuestionCard(asked, user, outcome === 'woken' ? 'accept' : outcome)
  inBackground(QUESTION_FORM, services, () => replaceQuestion(found, { content, responseUrl, installation }, services))
  return outcome === 'woken' ? undefined : note(QUESTION_WORDS[outcome])
}

function note(words: string): SubmissionReply {
  return { response_action: 'update', view: noteModal('Your answer', words) }
}

/** `end`: why the question can no longer be answered. */
interface AskedQuestion {
  ref: WaitRef
  question: Question
  asked: ToolQuestion
  /** The ts of the card's message; absent if only the asker sees the card. */
  card?: string | undefined
  end?: QuestionEnd
}

/** Undefined if the question is unknown or no longer stored. @throws the error of the store */
async function findQuestion(ref: WaitRef, { control }: Services): Promise<AskedQuestion | undefined> {
  const run = await control.load({ thread: ref.conversation, id: ref.id })
  const n = Number.parseInt(ref.key, 10)
  const step = run?.saved.steps[n - 1]
  if (!run || step?.kind !== 'tool' || step.waiting?.for?.kind !== 'question') return undefined
  const isOver =
    waitKey(n, step.waiting) !== ref.key || step.observation !== undefined || run.saved.answer !== undefined
  const end = questionEnd(run.saved.decisions[ref.key]) ?? (isOver ? 'over' : undefined)
  return { ref, question: run.question, asked: step.waiting.for, card: cardOf(run, ref), end }
}

function cardOf(run: LoadedRun, { key }: WaitRef): string | undefined {
  const post = questionPost(key)
  return isSeenByAll(run, post) ? run.saved.posts[post] : undefined
}

/** Returns whether the user is the asker. A bot that asked cannot answer. */
function isAsker(person: Presser, { question }: AskedQuestion): boolean {
  return question.kind !== 'bot' && isSamePerson(person, question)
}

type GivenAnswer = Pick<Extract<Decision, { outcome: 'answered' }>, 'action' | 'content'>

/**
 * Resumes the run with the answer, if it is the first. The typed content goes nowhere else, and not into the log.
 * @throws if the store fails
 */
async function answerQuestion(
  { ref, question }: AskedQuestion,
  answer: GivenAnswer,
  services: Services,
): Promise<'woken' | QuestionEnd> {
  const run = { thread: ref.conversation, id: ref.id }
  const outcome = await services.control.resume(run, ref.key, { outcome: 'answered', by: question.user, ...answer })
  const { action } = answer
  services.log.info({ question: ref.id, wait: ref.key, action, outcome }, 'a tool’s question is answered')
  if (outcome === 'woken' || outcome === 'expired') return outcome
  return (await findQuestion(ref, services))?.end ?? 'over'
}

/** Replaces the card at once, since the process that resumes the run may be busy. Never rejects. */
async function replaceQuestion(
  { question, card }: AskedQuestion,
  shown: { content: Content; responseUrl?: string | undefined; installation: Installation },
  { log }: Services,
): Promise<void> {
  const { content, responseUrl, installation } = shown
  const { client } = installation
  const { id, channel, user: asker } = question
  const place = card === undefined ? undefined : { channel, ts: card }
  await replaceMessage({ responseUrl, place }, { content }, client, log.child({ question: id }), asker)
}
