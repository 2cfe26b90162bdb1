import { applyEvent } from '../agent/run-progress.ts'
import type { AnswerEvent } from '../question/answer.ts'
import type { Outcome, ToolCallEvent } from './telemetry-event.ts'
import type { Attempt } from './question-attempt.ts'

interface EventWatch {
  attempt: Attempt
  /** The tools that exist: a model can write any name. */
  tools: ReadonlySet<string>
  note(fact: ToolCallEvent): void
  now(): number
}

/**
 * Returns the same events, observed before they reach the thread. A reader that asks for the next event has delivered
 * the previous one, which shows that an answer is posted.
 */
export async function* watchedEvents(
  events: AsyncIterable<AnswerEvent>,
  watch: EventWatch,
): AsyncGenerator<AnswerEvent> {
  const { attempt, now } = watch
  // Tools run in parallel from the time at which the previous event was taken.
  let from = now()
  try {
    for await (const event of events) {
      attempt.progress = applyEvent(attempt.progress, event)
      if (event.type === 'observation') noteTool(event, from, watch)
      if (event.type === 'answer' || event.type === 'gave_up') attempt.answer = event.text
      yield event
      if (event.type !== 'observation') from = now()
      const outcome = outcomeOf(event)
      if (outcome) Object.assign(attempt, { outcome, doneAt: now() })
    }
  } catch (error) {
    attempt.error = error
    throw error
  }
}

type ObservationEvent = Extract<AnswerEvent, { type: 'observation' }>

function noteTool({ step, ms }: ObservationEvent, from: number, { tools, note }: EventWatch): void {
  // An unreadable completion has an observation, but no tool.
  if (step.kind === 'unreadable') return
  const { action, observation } = step
  const tool = tools.has(action.tool) ? action.tool : 'unknown'
  const callId = action.callId === undefined ? {} : { callId: action.callId }
  note({ kind: 'tool', tool, ok: observation.ok, from, ms, ...callId, input: action.input, output: observation.text })
}

function outcomeOf(event: AnswerEvent): Outcome | undefined {
  if (event.type === 'gave_up') return 'gave_up'
  if (event.type !== 'answer') return undefined
  return event.stopped ? 'stopped' : 'answered'
}
