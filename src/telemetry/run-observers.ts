import { applyEvent } from '../agent/run-progress.ts'
import type { AnswerEvent } from '../question/answer.ts'
import { outcomeOf } from './question-outcome.ts'
import type { ToolCallEvent } from './telemetry-event.ts'
import type { Attempt } from './question-attempt.ts'

/** Observes the events of one run. */
export interface RunObserver {
  /** Gets each event before it reaches the thread. `from`: when the previous one was taken, in ms since the epoch. */
  note(event: AnswerEvent, from: number): void
  /** A reader that asks for the next event has delivered the previous one. */
  delivered?(event: AnswerEvent): void
  failed?(error: unknown): void
  end?(): void
}

/** Returns the same events, observed. `begin` is called for the first one, and `now` is in ms. */
export async function* watchedEvents(
  events: AsyncIterable<AnswerEvent>,
  begin: () => RunObserver[],
  now: () => number,
): AsyncGenerator<AnswerEvent> {
  const observers = begin()
  // Tools run in parallel from the time at which the previous event was taken.
  let from = now()
  try {
    for await (const event of events) {
      for (const one of observers) one.note(event, from)
      yield event
      if (event.type !== 'observation') from = now()
      for (const one of observers) one.delivered?.(event)
    }
  } catch (error) {
    for (const one of observers) one.failed?.(error)
    throw error
  } finally {
    for (const one of observers) one.end?.()
  }
}

interface AttemptWatch {
  /** The tools that exist: a model can write any name. */
  tools: ReadonlySet<string>
  note(fact: ToolCallEvent): void
  now(): number
}

/** Follows an attempt at a question, and reports its calls of tools. */
export function attemptObserver(attempt: Attempt, watch: AttemptWatch): RunObserver {
  return {
    note(event, from) {
      attempt.progress = applyEvent(attempt.progress, event)
      if (event.type === 'for_asker') attempt.restsOnPrivate = true
      if (event.type === 'observation') noteTool(event, from, watch)
      if (event.type === 'answer' || event.type === 'gave_up') attempt.answer = event.text
    },
    delivered(event) {
      const outcome = outcomeOf(event)
      if (outcome) Object.assign(attempt, { outcome, doneAt: watch.now() })
    },
    failed: (error) => void (attempt.error = error),
  }
}

type ObservationEvent = Extract<AnswerEvent, { type: 'observation' }>

function noteTool({ step, ms }: ObservationEvent, from: number, { tools, note }: AttemptWatch): void {
  // An unreadable completion has an observation, but no tool.
  if (step.kind === 'unreadable') return
  const { action, observation } = step
  const tool = tools.has(action.tool) ? action.tool : 'unknown'
  const callId = action.callId === undefined ? {} : { callId: action.callId }
  note({ kind: 'tool', tool, ok: observation.ok, from, ms, ...callId, input: action.input, output: observation.text })
}
