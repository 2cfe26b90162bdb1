import type { Accepted, Handler, Queue } from '../queue/types.ts'
import type { Question } from '../run/types.ts'
import type { Fact } from './facts.ts'
import { newGo, type Go } from './go.ts'

/** The span of a question's way in. The question carries `traceparent` on; only what was accepted or failed is kept. */
export interface Receiving {
  traceparent: string
  end(outcome: Accepted | 'failed', error?: unknown): void
}

export interface QueueWatch {
  receive(question: Question): Receiving | undefined
  /** Everything that `work` calls belongs to this go. */
  during(go: Go, work: () => Promise<void>): Promise<void>
  note(fact: Fact): void
  now(): number
}

/** The same queue; what comes in, what is handed out and how that ends is told of. */
export function watchedQueue(queue: Queue, watch: QueueWatch): Queue {
  return {
    accept: (question, options) => takeIn(question, watch, (stored) => queue.accept(stored, options)),
    start: (handler, giveUp) => queue.start(watched(handler, watch), giveUp && watchedGiveUp(giveUp, watch)),
    stop: (ms) => queue.stop(ms),
    ready: () => queue.ready(),
    stats: () => queue.stats(),
  }
}

/** The trace begins here, and has to be in the question before it is stored: the worker may be another process. */
async function takeIn(
  question: Question,
  watch: QueueWatch,
  accept: (question: Question) => Promise<Accepted>,
): Promise<Accepted> {
  const from = watch.now()
  const receiving = watch.receive(question)
  const end = (outcome: Accepted | 'failed', error?: unknown) => {
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

/** A handler that throws puts the question down: the queue hands it out again, and only its last go has an outcome. */
function watched(handler: Handler, watch: QueueWatch): Handler {
  return async (question, run, signal) => {
    const go = newGo(question, run, signal)
    if (!go.isSeen) watch.note({ kind: 'taken_up', question, ms: Math.max(0, watch.now() - question.at) })
    try {
      await watch.during(go, () => handler(question, run, signal))
    } catch (error) {
      watch.note({ kind: 'put_down', question })
      throw error
    }
    if (go.isWorked) end(go, watch)
  }
}

/** The handler has come to its end by itself: the asker was told something. */
function end(go: Go, { note, now }: QueueWatch): void {
  const { question, run, doneAt = now() } = go
  const outcome = go.outcome ?? (go.error === undefined ? 'undelivered' : 'failed')
  note({ kind: 'ending', question, outcome, steps: run.saved.steps.length, ms: Math.max(0, doneAt - question.at) })
}

/** The queue's last word on a question, after all goes at it have failed. */
function watchedGiveUp(giveUp: Handler, { note, now, during }: QueueWatch): Handler {
  return async (question, run, signal) => {
    await during(newGo(question, run, signal), () => giveUp(question, run, signal))
    const ms = Math.max(0, now() - question.at)
    note({ kind: 'ending', question, outcome: 'given_up', steps: run.saved.steps.length, ms })
  }
}
