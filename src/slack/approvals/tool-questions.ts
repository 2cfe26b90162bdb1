/** Posts and settles the cards of tools' questions, in every display. */
import type { Step, ToolStep } from '../../agent/contracts/run-events.ts'
import type { ToolQuestion } from '../../agent/contracts/tool.ts'
import type { Connections } from '../../question/connections/connections.ts'
import { conversationOf, isDirect } from '../../stores/runs/types.ts'
import { waitKey } from '../../stores/runs/wait-keys.ts'
import { connectCard, endedQuestionCard, questionCard } from './tool-question-card.ts'
import { questionEnd, questionPost } from './tool-question-words.ts'
import { waitValue } from './button-value.ts'
import type { Outbox } from '../client/outbox.ts'
import { isSeenByAll } from '../client/thread-messages.ts'

/**
 * Posts the card of a tool's question, once. It is ephemeral if it is for the asker alone, or has a link to a login.
 * @throws if it could not be shown
 */
export async function showQuestion(
  n: number,
  { waiting }: ToolStep,
  { outbox, connections }: { outbox: Outbox; connections?: Connections | undefined },
): Promise<void> {
  if (waiting?.for?.kind !== 'question') return
  const { question } = outbox
  const key = waitKey(n, waiting)
  const post = questionPost(key)
  if (outbox.isPosted(post)) return
  if (waiting.for.login) {
    if (!connections) throw new Error('Nobody can log in here.')
    const { server } = waiting.for
    const step = { thread: conversationOf(question), id: question.id, key }
    if (!(await connections.wait(question, server, step))) return
    const link = await connections.link(question, server)
    const card = connectCard(waiting.for, { asker: question.user, value: waitValue(question, key), link })
    return outbox.sendEphemeral(post, card)
  }
  const content = questionCard(waiting.for, { asker: question.user, value: waitValue(question, key) })
  await (isForAsker(waiting.for, outbox) ? outbox.sendEphemeral(post, content) : outbox.show(post, content))
}

function isForAsker({ forAsker }: ToolQuestion, { isForAsker: isAll, question }: Outbox): boolean {
  return isAll || (forAsker === true && !isDirect(question))
}

/**
 * Removes the buttons from the cards of decided questions among these `steps`; with `isOver` also from those that
 * nobody answered. Ephemeral cards cannot be changed from here; they are replaced when somebody presses a button.
 */
export async function settleQuestions(
  outbox: Outbox,
  { isOver, steps }: { isOver: boolean; steps: readonly Step[] },
): Promise<void> {
  const { question, run } = outbox
  for (const [i, step] of steps.entries()) {
    if (step.kind !== 'tool' || step.waiting?.for?.kind !== 'question' || step.waiting.for.login) continue
    if (step.observation) continue
    const key = waitKey(i + 1, step.waiting)
    if (isForAsker(step.waiting.for, outbox) && !isSeenByAll(run, questionPost(key))) continue
    const end = questionEnd(run.saved.decisions[key]) ?? (isOver ? 'over' : undefined)
    if (!end || !outbox.isPosted(questionPost(key))) continue
    await outbox.show(questionPost(key), endedQuestionCard(step.waiting.for, question.user, end))
  }
}
