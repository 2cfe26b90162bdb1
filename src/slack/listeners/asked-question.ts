/** What a tool asks its asker, as somebody who presses a button or sends a form finds it; and what an answer does. */
import type { ToolQuestion } from '../../agent/types.ts'
import { messageOf } from '../../errors.ts'
import type { LoadedRun } from '../../run/control.ts'
import { isPrivate, waitKey, type Decision, type Question } from '../../run/types.ts'
import type { Installation } from '../../workspace/installations.ts'
import { respond, UNPARSED } from '../client/response-url.ts'
import type { Content } from '../format/blocks.ts'
import { questionEnd, questionPost, type QuestionEnd, type QuestionRef } from '../format/question-words.ts'
import type { ListenerOptions } from './to-question.ts'

/** `end`: it waits for no answer any more, for that reason. */
export interface AskedQuestion {
  ref: QuestionRef
  question: Question
  asked: ToolQuestion
  /** The message with the card; absent where the asker alone sees it. */
  card?: string | undefined
  end?: QuestionEnd
}

/** Undefined where it is not known, or not any more. @throws what keeps the store from telling */
export async function findQuestion(
  ref: QuestionRef,
  { control }: Pick<ListenerOptions, 'control'>,
): Promise<AskedQuestion | undefined> {
  const run = await control.load({ thread: ref.conversation, id: ref.id })
  const n = Number.parseInt(ref.key, 10)
  const step = run?.saved.steps[n - 1]
  if (!run || step?.kind !== 'tool' || step.waiting?.for?.kind !== 'question') return undefined
  const isOver =
    waitKey(n, step.waiting) !== ref.key || step.observation !== undefined || run.saved.answer !== undefined
  const end = questionEnd(run.saved.decisions[ref.key]) ?? (isOver ? 'over' : undefined)
  return { ref, question: run.question, asked: step.waiting.for, card: cardOf(run, ref), ...(end ? { end } : {}) }
}

function cardOf({ question, saved }: LoadedRun, { key }: QuestionRef): string | undefined {
  return isPrivate(question) ? undefined : saved.posts[questionPost(key)] || undefined
}

/** Only the asker answers, and no bot. */
export function isAsker(
  { user, userTeam }: { user: string; userTeam?: string | undefined },
  { question }: AskedQuestion,
): boolean {
  const { bot, team, userTeam: askers = team } = question
  return bot === undefined && question.user === user && (userTeam ?? team) === askers
}

export type GivenAnswer = Pick<Extract<Decision, { outcome: 'answered' }>, 'action' | 'content'>

/** Wakes the run with the answer, if it is the first. What was typed goes nowhere else. @throws what keeps the store from keeping it */
export async function answerQuestion(
  { ref, question }: AskedQuestion,
  answer: GivenAnswer,
  options: Pick<ListenerOptions, 'control' | 'log'>,
): Promise<'woken' | QuestionEnd> {
  const run = { thread: ref.conversation, id: ref.id }
  const outcome = await options.control.wake(run, ref.key, { outcome: 'answered', by: question.user, ...answer })
  const { action } = answer
  options.log.info({ question: ref.id, wait: ref.key, action, outcome }, 'a tool’s question is answered')
  if (outcome === 'woken' || outcome === 'expired') return outcome
  return (await findQuestion(ref, options))?.end ?? 'over'
}

/** Replaces the card at once: the process that goes on may be busy. Never rejects. */
export async function replaceQuestion(
  { question, card }: AskedQuestion,
  shown: { content: Content; responseUrl?: string | undefined; installation: Installation },
  { log, fetch = globalThis.fetch }: Pick<ListenerOptions, 'log' | 'fetch'>,
): Promise<void> {
  const { responseUrl, installation } = shown
  const { client } = installation
  const content = { ...shown.content, ...UNPARSED }
  const warn = (fields: object, line: string) => log.warn({ question: question.id, ...fields }, line)
  const at = { apiUrl: client.apiUrl, fetch, log: warn }
  if (responseUrl !== undefined && (await respond(responseUrl, { ...content, replace_original: true }, at))) return
  if (card === undefined) return
  const args = { channel: question.channel, ts: card, ...content }
  await client.call('chat.update', args, { effort: 'patient', asker: question.user }).catch((error: unknown) => {
    warn({ error: messageOf(error) }, 'the card of a tool’s question could not be changed')
  })
}
