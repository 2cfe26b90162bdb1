/** One completion of the model: the stream is read, cut, and passed on as it comes. */
import { tooSlow } from '../base/errors.ts'
import { callDeadline } from './budget.ts'
import { cleanReader } from './check-answer.ts'
import { fitPrompt } from './fit-prompt.ts'
import { beginsMessage } from './observation.ts'
import { ObservationCut } from './parser/observation-cut.ts'
import { findingsOf } from './partial-answer.ts'
import type { RunState, ModelTurn } from './run-state.ts'
import type { Completion, RunView } from './contracts/dialect.ts'
import type { ModelEvent, ModelRequest, Usage } from './contracts/model.ts'
import type { AgentEvent, StopReason } from './contracts/run-events.ts'

/** Withdraws streamed text that is not the answer. */
export function* retract(streamed: string): Generator<AgentEvent> {
  if (streamed !== '') yield { type: 'answer_withdrawn' }
}

/** Undefined if the thinking time ran out, except on the final turn. */
export interface Streamed extends Pick<ModelTurn, 'streamed' | 'unseen'> {
  completion: Completion | undefined
}

/** One completion. The stream ends at the first observation that the model invents. */
export async function* complete(
  run: RunState,
  finalTurn: StopReason | undefined,
  usages: Usage[],
): AsyncGenerator<AgentEvent, Streamed> {
  const { stop } = run.dialect
  const beginsInvention = (line: string) => run.dialect.beginsObservation(line) || beginsMessage(line)
  const time = callDeadline(run, finalTurn !== undefined)
  const { signal, ms: timeMs } = time
  const view = viewOf(run, finalTurn)
  let lastSignAt = run.now().getTime()
  const request: ModelRequest = {
    ...run.dialect.render(view),
    ...{ stop, signal, timeMs },
    fit: (max, count) => fitPrompt(run.dialect, view, { max, count }),
    onSign: () => void (lastSignAt = run.now().getTime()),
    onUsage: (usage) => void usages.push(usage),
  }
  let cut = new ObservationCut(beginsInvention)
  let extras: Omit<Completion, 'text'> = {}
  let [streamed, unseen] = ['', false]
  let reader = cleanReader(run)
  try {
    for await (const event of run.model.stream(request)) {
      lastSignAt = run.now().getTime()
      if (event.type === 'restart') {
        ;[cut, extras, reader] = [new ObservationCut(beginsInvention), {}, cleanReader(run)]
        yield* retract(streamed)
        ;[streamed, unseen] = ['', false]
      } else if (event.type === 'unseen') unseen = true
      else if (event.type !== 'text') extras = withEvent(extras, event)
      else if (cut.push(event.text)) break
      else if (request.schema && isRunaway(cut.text)) {
        extras = { ...extras, cutOff: 'length' }
        break
      } else if (reader) {
        const text = reader.push(event.text, cut)
        streamed = reader.streamedText
        if (text !== '') yield { type: 'answer_delta', text }
      }
    }
  } catch (error) {
    if (run.signal.aborted || !signal.aborted) throw error
    if (!finalTurn) return { completion: undefined, streamed }
    // The model wrote nothing in the run's whole time and no tool found anything: the model failed.
    if (cut.text === '' && findingsOf(run.progress.steps).length === 0)
      throw tooSlow(`model ${run.model.name}: nothing came within the run's time`, error)
    const isWriting = run.now().getTime() - lastSignAt < Math.min(SILENT_MS, timeMs * SILENT_SHARE)
    extras = { ...extras, cutOff: isWriting ? 'time' : 'silence' }
  } finally {
    time.release()
  }
  return { completion: { text: cut.text, ...extras }, streamed, unseen: unseen || undefined }
}

/** A schema keeps a small model in a string that it never ends: it repeats the same words there. */
const RUNAWAY = { chars: 800, period: 200 }

/** Returns whether the end of a text is nothing but one short piece again and again. */
function isRunaway(text: string): boolean {
  const end = text.slice(-RUNAWAY.chars)
  if (end.length < RUNAWAY.chars) return false
  const again = end.slice(-20)
  const before = end.lastIndexOf(again, end.length - 21)
  const period = end.length - 20 - before
  return before >= 0 && period <= RUNAWAY.period && end.slice(period) === end.slice(0, -period)
}

/** Everything in a completion but its text. */
function withEvent(extras: Omit<Completion, 'text'>, event: ModelEvent): Omit<Completion, 'text'> {
  const { reasoning = '', refusal = '' } = extras
  switch (event.type) {
    case 'tool_calls':
      return { ...extras, toolCalls: event.calls }
    case 'kept':
      return { ...extras, kept: event.kept }
    case 'cut_off':
      return { ...extras, cutOff: event.isEndless ? 'endless' : 'length' }
    case 'reasoning':
      return { ...extras, reasoning: (reasoning + event.text).slice(0, REASONING_CHARS) }
    case 'refusal':
      return { ...extras, refusal: refusal + event.text }
    default:
      return extras
  }
}

/** When its time ends, a model counts as stalled after this long without an event, or this share of the call's time. */
const SILENT_MS = 5_000
const SILENT_SHARE = 0.25

/** How many characters of reasoning are shown at most. */
const REASONING_CHARS = 10_000

function viewOf(run: RunState, finalTurn: StopReason | undefined): RunView {
  const { tools, progress, nonce, task, today } = run
  const { question, images, history = [], aboutHistory, said, filesText, remembered, doneBefore, askedIn } = task
  return {
    question,
    tools,
    steps: progress.steps,
    today,
    nonce,
    history,
    aboutHistory,
    said,
    filesText,
    remembered,
    doneBefore: doneBefore?.lines,
    askedIn,
    ...(images?.length ? { images } : {}),
    finalTurn,
  }
}
