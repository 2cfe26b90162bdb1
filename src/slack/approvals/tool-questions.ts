/** The cards of what tools ask the asker, in each way to show a run. Loaded where a tool asks, or has asked. */
import type { Step, ToolStep } from '../../agent/types.ts'
import { isPrivate, waitKey } from '../../stores/runs/types.ts'
import { endedQuestionCard, questionCard } from './question-card.ts'
import { questionEnd, questionPost } from './question-words.ts'
import { waitValue } from './wait-ref.ts'
import type { Outbox } from '../client/outbox.ts'

/** Posts the card of what a tool asks, once; of a private question for the asker alone. @throws what kept it from being shown */
export async function showQuestion(n: number, { waiting }: ToolStep, { outbox }: { outbox: Outbox }): Promise<void> {
  if (waiting?.for?.kind !== 'question') return
  const { question } = outbox
  const key = waitKey(n, waiting)
  const post = questionPost(key)
  if (outbox.isPosted(post)) return
  const content = questionCard(waiting.for, { asker: question.user, value: waitValue(question, key) })
  await (isPrivate(question) ? outbox.sendEphemeral(post, content) : outbox.show(post, content))
}

/**
 * Brings cards to the form that cannot be pressed: those of the questions that these `steps` waited for and that are decided, or with
 * `isOver` those that nobody has answered. What only one person sees cannot be changed from here: it is when it is pressed.
 */
export async function settleQuestions(
  { outbox }: { outbox: Outbox },
  { isOver, steps }: { isOver: boolean; steps: readonly Step[] },
): Promise<void> {
  const { question, run } = outbox
  if (isPrivate(question)) return
  for (const [i, step] of steps.entries()) {
    if (step.kind !== 'tool' || step.waiting?.for?.kind !== 'question' || step.observation) continue
    const key = waitKey(i + 1, step.waiting)
    const end = questionEnd(run.saved.decisions[key]) ?? (isOver ? 'over' : undefined)
    if (!end || !outbox.isPosted(questionPost(key))) continue
    await outbox.show(questionPost(key), endedQuestionCard(step.waiting.for, { asker: question.user, end }))
  }
}
