/** What a tool asks its asker, as somebody who presses a button or sends a form finds it; and what the answer does. */
import { messageOf } from '../../errors.ts'
import type { ToolQuestion } from '../../agent/types.ts'
import type { LoadedRun, RunRef } from '../../run/control.ts'
import { isPrivate, waitKey, type Decision, type Question } from '../../run/types.ts'
import type { Installation } from '../../workspace/installations.ts'
import { respond, UNPARSED } from '../client/response-url.ts'
import type { Content } from '../format/blocks.ts'
import { endedQuestionCard, questionEnd, questionPost, type QuestionEnd } from '../format/question-card.ts'
import type { CallRef } from '../format/saved-call.ts'
import type { ListenerOptions } from './to-question.ts'

/** `end`: it waits for no answer any more, for that reason. */
export interface AskedQuestion {
  ref: CallRef
  question: Question
  asked: ToolQuestion
  /** The message with the card; absent where the asker alone sees it. */
  card?: string | undefined
  end?: QuestionEnd
}

/** What is said to who presses what they may not, or not any more. */
export const QUESTION_WORDS = {
  gone: 'This question is not kept any more: it was forgotten, or its time is over.',
  notYours: 'Only the person who asked me can answer this.',
  failed: 'Your answer could not be kept just now. Please try again in a minute.',
  accept: 'You have answered this already. The first answer holds.',
  decline: 'You have declined this already. The first answer holds.',
  cancel: 'You have answered this already. The first answer holds.',
  expired: 'This came too late: the time for an answer is over, and I have gone on without one.',
  over: 'This is over: nobody waits for this answer any more.',
} as const satisfies Record<string, string>

/** Undefined where it is not known, or not any more. @throws what keeps the store from telling */
export async function findQuestion(
  ref: CallRef,
  { control }: Pick<ListenerOptions, 'control'>,
): Promise<AskedQuestion | undefined> {
  const run = await control.load(runOf(ref))
  const step = run?.saved.steps[Number.parseInt(ref.key, 10) - 1]
  const awaited = step?.kind === 'tool' ? step.waiting?.for : undefined
  if (!run || step?.kind !== 'tool' || awaited?.kind !== 'question') return undefined
  const isSame = waitKey(Number.parseInt(ref.key, 10), step.waiting) === ref.key
  const { question, saved } = run
  const decided = questionEnd(saved.decisions[ref.key])
  const end = decided ?? (!isSame || step.observation || saved.answer ? 'over' : undefined)
  return { ref, question, asked: awaited, card: cardOf(run, ref), ...(end ? { end } : {}) }
}

function runOf({ conversation, id }: CallRef): RunRef {
  return { thread: conversation, id }
}

function cardOf({ question, saved }: LoadedRun, { key }: CallRef): string | undefined {
  return isPrivate(question) ? undefined : saved.posts[questionPost(key)] || undefined
}

/** Only the asker answers, and no bot. */
export function isAsker(
  { user, userTeam }: { user: string; userTeam?: string | undefined },
  { question }: AskedQuestion,
): boolean {
  return (
    question.bot === undefined &&
    question.user === user &&
    (userTeam ?? question.team) === (question.userTeam ?? question.team)
  )
}

type Answer = Pick<Extract<Decision, { outcome: 'answered' }>, 'action' | 'content'>

/** Wakes the run with the answer, if it is the first. What was typed goes nowhere else. @throws what keeps the store from keeping it */
export async function answerQuestion(
  { ref }: AskedQuestion,
  { by, ...answer }: Answer & { by: string },
  options: ListenerOptions,
): Promise<'woken' | QuestionEnd> {
  const { control, log } = options
  const outcome = await control.wake(runOf(ref), ref.key, { outcome: 'answered', by, ...answer })
  log.info({ question: ref.id, wait: ref.key, action: answer.action, outcome }, 'a tool’s question is answered')
  if (outcome === 'woken' || outcome === 'expired') return outcome
  return (await findQuestion(ref, options))?.end ?? 'over'
}

/** Shows on the card how the question has ended, at once: the process that goes on may be busy. Never rejects. */
export async function endCard(
  { question, asked, card }: AskedQuestion,
  {
    end,
    responseUrl,
    installation,
  }: { end: QuestionEnd; responseUrl?: string | undefined; installation: Installation },
  { log, fetch = globalThis.fetch }: ListenerOptions,
): Promise<void> {
  const content = endedQuestionCard(asked, { asker: question.user, end })
  const warn = (fields: object, line: string) => log.warn({ question: question.id, ...fields }, line)
  const { client } = installation
  const shown: Content & { parse: string } = { ...content, ...UNPARSED }
  const replaced = { ...shown, replace_original: true }
  if (responseUrl !== undefined && (await respond(responseUrl, replaced, { apiUrl: client.apiUrl, fetch, log: warn })))
    return
  if (card === undefined) return
  const args = { channel: question.channel, ts: card, ...shown }
  await client.call('chat.update', args, { effort: 'patient', asker: question.user }).catch((error: unknown) => {
    warn({ error: messageOf(error) }, 'the card of a tool’s question could not be changed')
  })
}
