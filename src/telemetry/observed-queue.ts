import { stepCount, workMs } from '../agent/run-progress.ts'
import type { AcceptOutcome, Handler, Queue } from '../queue/types.ts'
import type { Question } from '../stores/runs/types.ts'
import type { TelemetryEvent } from './telemetry-event.ts'
import { finalOutcome } from './question-outcome.ts'
import { newAttempt, type Attempt } from './question-attempt.ts'

/**
 * The span of a delivery. The question carries `traceparent` on; only the span of an accepted or failed one is sent.
 */
export interface DeliverySpan {
  traceparent: string
  end(outcome: AcceptOutcome | 'failed', error?: unknown): void
}

interface QueueWatch {
  receive(question: Question): DeliverySpan | undefined
  /** Runs `work`, whose calls all belong to this attempt. */
  during<T>(attempt: Attempt, work: () => Promise<T>): Promise<T>
  note(fact: TelemetryEvent): void
  now(): number
}

/** Returns the same queue, which reports each acceptance, each start and each end. */
export function observedQueue(queue: Queue, watch: QueueWatch): Queue {
  return {
    accept: (question, options) => watchedAccept(question, watch, (stored) => queue.accept(stored, options)),
    start: (handler, giveUp) => queue.start(watched(handler, watch), giveUp && watchedGiveUp(giveUp, watch)),
    stop: (ms) => queue.stop(ms),
    ready: () => queue.ready(),
    stats: () => queue.stats(),
    place: (question) => queue.place(question),
    inThread: (thread) => queue.inThread(thread),
    withdraw: (thread, id, options) => queue.withdraw(thread, id, options),
    moveChannel: (place, to) => queue.moveChannel(place, to),
    forgetChannel: (place) => queue.forgetChannel(place),
    forgetUser: (person) => queue.forgetUser(person),
    forgetTeam: (...of) => queue.forgetTeam(...of),
  }
}

/**
 * The trace begins here and is put into the question before that is stored, because the worker may be another process.
 */
async function watchedAccept(
  question: Question,
  watch: QueueWatch,
  accept: (question: Question) => Promise<AcceptOutcome>,
): Promise<AcceptOutcome> {
  const from = watch.now()
  const receiving = watch.receive(question)
  const end = (outcome: AcceptOutcome | 'failed', error?: unknown) => {
    receiving?.end(outcome, error)
    watch.note({ kind: 'intake', question, outcome, ms: watch.now() - from })
  }
  try {
    const outcome = await accept(receiving ? { ...question, traceparent: receiving.traceparent } : question)
    end(outcome)
    return outcome
  } catch (error) {
    end('failed', error)
    throw error
  }
}

/**
 * A handler that throws releases the question. The queue hands it out again, and only its last attempt has an outcome.
 */
function watched(handler: Handler, watch: QueueWatch): Handler {
  return async (question, run, signal) => {
    const attempt = newAttempt(question, run, signal)
    if (!attempt.isSeen) watch.note({ kind: 'started', question, ms: Math.max(0, watch.now() - question.at) })
    let result: Awaited<ReturnType<Handler>>
    try {
      result = await watch.during(attempt, () => handler(question, run, signal))
    } catch (error) {
      watch.note({ kind: 'released', question })
      throw error
    }
    // A suspended run has not ended: its last attempt has the outcome.
    if (result !== 'waiting' && attempt.hasAgentRun) end(attempt, watch)
    return result
  }
}

function end(attempt: Attempt, { note, now }: QueueWatch): void {
  const { question, progress, doneAt = now() } = attempt
  // The time that people took to decide does not count.
  const ms = workMs({ steps: progress.steps, startedAt: question.at }, doneAt)
  note({ kind: 'ending', question, outcome: finalOutcome(attempt), steps: stepCount(progress.steps), ms })
}

/** The question is dead-lettered: all attempts at it have failed. */
function watchedGiveUp(giveUp: Handler, { note, now, during }: QueueWatch): Handler {
  return async (question, run, signal) => {
    const attempt = newAttempt(question, run, signal)
    await during(attempt, () => giveUp(question, run, signal))
    const ms = Math.max(0, now() - question.at)
    note({ kind: 'ending', question, outcome: 'given_up', steps: stepCount(attempt.progress.steps), ms })
  }
}
