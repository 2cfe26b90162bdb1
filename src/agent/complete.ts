/** One call of the model in the loop: what it is asked with, when its stream is ended, and when a silent one has stalled. */
import { tooSlow } from '../errors.ts'
import { callDeadline } from './budget.ts'
import { beginsMessage } from './message-line.ts'
import { ObservationCut } from './parser/observation-cut.ts'
import { findingsOf } from './partial-answer.ts'
import type { RunState } from './run-state.ts'
import type { Completion, CutOff, RunView, ToolCall, Usage } from './types.ts'

/** One completion. The stream is ended at the first observation that the model invents. */
export async function complete(run: RunState, usages: Usage[]): Promise<Completion | undefined> {
  const { stop } = run.dialect
  const invention = (line: string) => run.dialect.beginsObservation(line) || beginsMessage(line)
  const time = callDeadline(run)
  const { signal, ms: timeMs } = time
  const request = { ...run.dialect.render(viewOf(run)), stop, signal, timeMs, onUsage: (u: Usage) => usages.push(u) }
  let cut = new ObservationCut(invention)
  let toolCalls: ToolCall[] | undefined
  let cutOff: CutOff | undefined
  let reasoning = ''
  let heardAt = run.now().getTime()
  try {
    for await (const event of run.model.stream(request)) {
      heardAt = run.now().getTime()
      if (event.type === 'restart') [cut, reasoning] = [new ObservationCut(invention), '']
      else if (event.type === 'tool_calls') toolCalls = event.calls
      else if (event.type === 'cut_off') cutOff = 'length'
      else if (event.type === 'reasoning') reasoning = (reasoning + event.text).slice(0, REASONING_CHARS)
      else if (cut.push(event.text)) break
    }
  } catch (error) {
    if (run.signal.aborted || !signal.aborted) throw error
    if (!run.finalTurn) return undefined
    // The model wrote nothing in all of the run's time and no tool found anything: that is a failure of the model's.
    if (cut.text === '' && findingsOf(run.progress.steps).length === 0)
      throw tooSlow(`model ${run.model.name}: nothing came within the run's time`, error)
    cutOff = run.now().getTime() - heardAt < Math.min(SILENT_MS, timeMs * SILENT_SHARE) ? 'time' : 'silence'
  } finally {
    time.release()
  }
  return { text: cut.text, reasoning, ...(toolCalls ? { toolCalls } : {}), ...(cutOff ? { cutOff } : {}) }
}

/** At the end of its time, a model has stalled if nothing has come for this long, or for this share of the call's time. */
const SILENT_MS = 5_000
const SILENT_SHARE = 0.25

/** How much reasoning beside the text is kept: it may become a thought. */
const REASONING_CHARS = 10_000

function viewOf(run: RunState): RunView {
  const { tools, progress, nonce, finalTurn, task, today } = run
  return {
    question: task.question,
    tools,
    steps: progress.steps,
    today,
    nonce,
    history: task.history ?? [],
    ...(task.said ? { said: task.said } : {}),
    ...(finalTurn ? { finalTurn } : {}),
  }
}
