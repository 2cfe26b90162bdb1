/** Looks up, answers and updates the questions that tools ask the asker. */
import type { ToolQuestion } from '../../agent/contracts/tool.ts'
import { isSamePerson, type Presser } from '../../stores/runs/audience.ts'
import type { LoadedRun } from '../../stores/runs/run-control.ts'
import type { Decision, Question } from '../../stores/runs/types.ts'
import { waitKey } from '../../stores/runs/wait-keys.ts'
import type { Installation } from '../client/installations.ts'
import { replaceMessage } from '../client/response-url.ts'
import { isSeenByAll } from '../client/thread-messages.ts'
import type { Content } from '../format/blocks.ts'
import { questionEnd, questionPost, type QuestionEnd } from '../approvals/tool-question-words.ts'
import type { WaitRef } from '../approvals/button-value.ts'
import type { Services } from '../services.ts'

/** `end`: why the question can no longer be answered. */
export interface AskedQuestion {
  ref: WaitRef
  question: Question
  asked: ToolQuestion
  /** The ts of the card's message; absent if only the asker sees the card. */
  card?: string | undefined
  end?: QuestionEnd
}

/** Undefined if the question is unknown or no longer stored. @throws the error of the store */
export async function findQuestion(ref: WaitRef, { control }: Services): Promise<AskedQuestion | undefined> {
  const run = await control.load({ thread: ref.conversation, id: ref.id })
  const n = Number.parseInt(ref.key, 10)
  const step = run?.saved.steps[n - 1]
  if (!run || step?.kind !== 'tool' || step.waiting?.for?.kind !== 'question') return undefined
  const isOver =
    waitKey(n, step.waiting) !== ref.key || step.observation !== undefined || run.saved.answer !== undefined
  const end = questionEnd(run.saved.decisions[ref.key]) ?? (isOver ? 'over' : undefined)
  return { ref, question: run.question, asked: step.waiting.for, card: cardOf(run, ref), ...(end ? { end } : {}) }
}

function cardOf(run: LoadedRun, { key }: WaitRef): string | undefined {
  const post = questionPost(key)
  return isSeenByAll(run, post) ? run.saved.posts[post] : undefined
}

/** Returns whether the user is the asker. A bot that asked cannot answer. */
export function isAsker(person: Presser, { question }: AskedQuestion): boolean {
  return question.kind !== 'bot' && isSamePerson(person, question)
}

export type GivenAnswer = Pick<Extract<Decision, { outcome: 'answered' }>, 'action' | 'content'>

/**
 * Resumes the run with the answer, if it is the first. The typed content goes nowhere else, and not into the log.
 * @throws if the store fails
 */
export async function answerQuestion(
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
export async function replaceQuestion(
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
