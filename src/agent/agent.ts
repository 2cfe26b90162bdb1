/**
 * The ReAct loop (Yao et al. 2022, arXiv:2210.03629): think, act, observe, again, until the model answers or a budget
 * ends it. One loop for every dialect. It yields events and keeps nothing: whoever reads the events may save them between
 * two of them (the generator waits) and start a later run from the saved steps.
 */
import { actAndObserve } from './act.ts'
import { stopReason, thinkingTime } from './budget.ts'
import { ObservationCut } from './observation-cut.ts'
import { tooSlow } from '../errors.ts'
import { plainWords, partialAnswer } from './partial-answer.ts'
import type { AgentDeps, RunState, Task } from './run-state.ts'
import type { AgentEvent, Completion, ParsedTurn, RunView, ToolCall, Usage } from './types.ts'

export type { AgentDeps, Task } from './run-state.ts'

export async function* runAgent(task: Task, deps: AgentDeps): AsyncGenerator<AgentEvent, void> {
  const run = begin(task, deps)
  for (;;) {
    yield* actAndObserve(run)
    const direct = directAnswer(run)
    if (direct !== undefined) return yield answerOf(run, direct)
    run.finalTurn = stopReason(run)
    const reading = yield* think(run)
    if (reading?.kind === 'finish') return yield answerOf(run, reading.answer)
    if (run.finalTurn) return yield lastWords(run, reading)
    if (reading) yield* decide(run, reading)
  }
}

function begin(task: Task, deps: AgentDeps): RunState {
  const now = deps.now()
  return {
    ...deps,
    task,
    steps: task.steps ?? [],
    memory: task.memory ?? {},
    nonce: deps.newNonce(),
    startedAt: now.getTime(),
    today: now.toISOString().slice(0, 10),
    usage: task.usage ?? [],
    written: '',
  }
}

/** Asks the model for one turn. Undefined when the time for thinking ran out meanwhile: the next turn is then the last. */
async function* think(run: RunState): AsyncGenerator<AgentEvent, ParsedTurn | undefined> {
  const asked = run.now().getTime()
  const usages: Usage[] = []
  let completion: Completion | undefined
  try {
    completion = await complete(run, usages)
  } finally {
    // Also of a call that failed: what it had brought until then was paid for.
    run.usage.push(...usages)
    for (const usage of usages) yield { type: 'usage', usage, ms: run.now().getTime() - asked }
  }
  run.written = completion?.text ?? ''
  return completion && run.dialect.read(completion, run.tools)
}

/** One completion, ended at the first observation that the model invents. */
async function complete(run: RunState, usages: Usage[]): Promise<Completion | undefined> {
  const { stop } = run.dialect
  const time = thinkingTime(run)
  const { signal, ms: timeMs } = time
  const request = { ...run.dialect.render(viewOf(run)), stop, signal, timeMs, onUsage: (u: Usage) => usages.push(u) }
  let cut = new ObservationCut(run.dialect.beginsObservation)
  let toolCalls: ToolCall[] | undefined
  let reasoning = ''
  try {
    for await (const event of run.model.stream(request)) {
      if (event.type === 'restart') [cut, reasoning] = [new ObservationCut(run.dialect.beginsObservation), '']
      else if (event.type === 'tool_calls') toolCalls = event.calls
      else if (event.type === 'reasoning') reasoning += event.text
      else if (cut.push(event.text)) break
    }
  } catch (error) {
    if (run.task.signal.aborted || !signal.aborted) throw error
    if (!run.finalTurn) return undefined
    // Nothing was said in all the time of the run, and no tool found anything: that is a failure, not an answer.
    if (cut.text === '' && !run.steps.some((step) => step.observation?.ok))
      throw tooSlow(`model ${run.model.name}: nothing came within the run's time`, error)
  } finally {
    time.release()
  }
  return { text: cut.text, reasoning, ...(toolCalls ? { toolCalls } : {}) }
}

/** Takes the model's word: its actions become steps to run; what could not be read becomes a step that says so. */
function* decide(run: RunState, reading: Exclude<ParsedTurn, { kind: 'finish' }>): Generator<AgentEvent> {
  const turn = (run.steps.at(-1)?.turn ?? 0) + 1
  const thought = reading.thought
  if (reading.kind === 'unreadable') {
    const observation = { ok: false, text: reading.hint }
    const unreadable = run.written.slice(0, UNREADABLE_CHARS)
    run.steps.push({ turn, thought, unreadable, observation })
    yield { type: 'thought', step: run.steps.length, turn, text: thought, unreadable }
    yield { type: 'observation', step: run.steps.length, observation, ms: 0 }
    return
  }
  for (const [i, action] of reading.actions.entries()) {
    run.steps.push({ turn, thought: i === 0 ? thought : '', action })
    yield { type: 'thought', step: run.steps.length, turn, text: i === 0 ? thought : '' }
    yield { type: 'action', step: run.steps.length, turn, action }
  }
}

/** As much of an unreadable completion as the model is shown again. */
const UNREADABLE_CHARS = 1000

function viewOf(run: RunState): RunView {
  const { tools, steps, nonce, finalTurn: lastCall, task, today } = run
  return {
    question: task.question,
    tools,
    steps,
    today,
    nonce,
    history: task.history ?? [],
    ...(lastCall ? { finalTurn: lastCall } : {}),
  }
}

/** The output of a tool that answers by itself (`returnDirect`), once it has run. */
function directAnswer(run: RunState): string | undefined {
  const last = run.steps.at(-1)
  const direct = run.tools.find((tool) => tool.name === last?.action?.tool)?.returnDirect
  return direct && last?.observation?.ok ? last.observation.text : undefined
}

function answerOf(run: RunState, text: string): AgentEvent {
  const found = run.steps.flatMap((step) => step.observation?.sources ?? [])
  const sources = [...new Map(found.map((source) => [source.url, source])).values()]
  return { type: 'answer', text, sources, ...(run.finalTurn ? { stopped: run.finalTurn } : {}) }
}

/** The end without an answer in the dialect's form: the model's plain words where it wrote some, else what was found. */
function lastWords(run: RunState, reading: ParsedTurn | undefined): AgentEvent {
  const words = reading?.kind === 'unreadable' ? plainWords(run.written, run.dialect.beginsObservation) : ''
  if (words !== '') return answerOf(run, words)
  return { type: 'gave_up', reason: run.finalTurn ?? 'unreadable', text: partialAnswer(run.steps) }
}
