import { messageOf } from '../base/errors.ts'
import type { SignalOutcome } from '../stores/runs/run-control.ts'
import { conversationOf, type Question } from '../stores/runs/types.ts'
import type { AnswerServices } from './services.ts'

/**
 * Takes a question out of the queue if no worker has begun it; otherwise sends a stop to its run in any process. A
 * question from `/ask` always gets the signal: it was admitted when its thread was opened, and its run must end to
 * release its slot.
 */
export async function stopQuestion(
  { id, surface }: Question,
  { thread, by }: { thread: string; by: string },
  { queue, control, log }: AnswerServices,
): Promise<'withdrawn' | SignalOutcome> {
  const isOut = surface !== 'ask' && (await queue.withdraw(thread, id, { neverBegun: true }))
  const outcome = isOut ? 'withdrawn' : await control.send({ thread, id }, { type: 'stop', by })
  log.info({ question: id, by, outcome }, 'stop')
  return outcome
}

/** Stops a run after a person has stopped its stream. Never rejects. */
export async function stopRun(question: Question, { control, log }: AnswerServices): Promise<void> {
  const run = { thread: conversationOf(question), id: question.id }
  await control.send(run, { type: 'stop', by: question.user }).catch((error: unknown) => {
    log.warn({ question: question.id, error: messageOf(error) }, 'a run whose stream was stopped could not be stopped')
  })
}
