import type { AnswerEvent } from '../question/answer.ts'

/**
 * The outcome of a question. `answered`: by the model. `stopped`: by a budget, with its best answer. `gave_up`: without
 * one, by a budget or a person. `failed`: the asker got a message. `undelivered`: Slack accepts no answer there.
 * `given_up`: dead-lettered by the queue.
 */
export type Outcome = 'answered' | 'stopped' | 'gave_up' | 'failed' | 'undelivered' | 'given_up'
export const QUESTION_OUTCOMES: Outcome[] = ['answered', 'stopped', 'gave_up', 'failed', 'undelivered', 'given_up']

/** Returns the outcome that an event is, once it has been delivered; undefined if the run goes on. */
export function outcomeOf(event: AnswerEvent): Outcome | undefined {
  if (event.type === 'gave_up') return 'gave_up'
  if (event.type !== 'answer') return undefined
  return event.stopped ? 'stopped' : 'answered'
}

/** Returns the outcome of a question whose handler has ended without an error: the asker got a message. */
export function finalOutcome({ outcome, error }: { outcome?: Outcome; error?: unknown }): Outcome {
  return outcome ?? (error === undefined ? 'undelivered' : 'failed')
}
