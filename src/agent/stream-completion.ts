/** One completion of the model: the stream is read, cut, and passed on as it comes. */
import { tooSlow } from '../base/errors.ts'
import { callDeadline } from './budget.ts'
import { cleanReader } from './check-answer.ts'
import { fitPrompt } from './fit-prompt.ts'
import { beginsMessage } from './observation.ts'
import { ObservationCut } from './parser/observation-cut.ts'
import { findingsOf } from './partial-answer.ts'
import type { RunState } from './run-state.ts'
import type { Completion, RunView } from './contracts/dialect.ts'
import type { ModelEvent, ModelRequest, Usage } from './contracts/model.ts'
import type { AgentEvent } from './contracts/run-events.ts'

/** Withdraws streamed text that is not the answer. */
export function* withdraw(run: RunState): Generator<AgentEvent> {
  if (run.streamedText !== '') yield { type: 'answer_withdrawn' }
  run.streamedText = ''
}

/** One completion. The stream ends at the first observation that the model invents. */
export async function* complete(run: RunState, usages: Usage[]): AsyncGenerator<AgentEvent, Completion | undefined> {
  const { stop } = run.dialect
  const beginsInvention = (line: string) => run.dialect.beginsObservation(line) || beginsMessage(line)
  const time = callDeadline(run)
  const { signal, ms: timeMs } = time
  const view = viewOf(run)
  let leftOut: string[] = []
  let lastSignAt = run.now().getTime()
  const request: ModelRequest = {
    ...run.dialect.render(view),
    ...{ stop, signal, timeMs },
    fit(max, count) {
      const { leftOut: parts, ...fitted } = fitPrompt(run.dialect, view, { max, count })
      leftOut = parts
      return fitted
    },
    onSign: () => void (lastSignAt = run.now().getTime()),
    onUsage: (usage) => void usages.push(leftOut.length > 0 ? { ...usage, leftOut } : usage),
  }
  let cut = new ObservationCut(beginsInvention)
  let extras: Omit<Completion, 'text'> = {}
  let unseen = false
  let reader = cleanReader(run)
  run.streamedText = ''
  try {
    for await (const event of run.model.stream(request)) {
      lastSignAt = run.now().getTime()
      if (event.type === 'restart') {
        ;[cut, extras, reader] = [new ObservationCut(beginsInvention), {}, cleanReader(run)]
        unseen = false
        leftOut = []
        yield* withdraw(run)
      } else if (event.type === 'unseen') unseen = true
      else if (event.type !== 'text') extras = withEvent(extras, event)
      else if (cut.push(event.text)) break
      else if (reader) {
        const text = reader.push(event.text, cut)
        run.streamedText = reader.streamedText
        if (text !== '') yield { type: 'answer_delta', text }
      }
    }
  } catch (error) {
    if (run.signal.aborted || !signal.aborted) throw error
    if (!run.finalTurn) return undefined
    // The model wrote nothing in the run's whole time and no tool found anything: the model failed.
    if (cut.text === '' && findingsOf(run.progress.steps).length === 0)
      throw tooSlow(`model ${run.model.name}: nothing came within the run's time`, error)
    const isWriting = run.now().getTime() - lastSignAt < Math.min(SILENT_MS, timeMs * SILENT_SHARE)
    extras = { ...extras, cutOff: isWriting ? 'time' : 'silence' }
  } finally {
    time.release()
  }
  run.unseen = unseen || undefined
  return { text: cut.text, ...extras }
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

function viewOf({ tools, progress, nonce, finalTurn, task, today }: RunState): RunView {
  const { question, images, history = [], aboutHistory, said, filesText, remembered, doneBefore } = task
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
    ...(images?.length ? { images } : {}),
    ...(finalTurn ? { finalTurn } : {}),
  }
}
