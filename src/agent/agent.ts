/**
 * The ReAct loop (Yao et al. 2022, arXiv:2210.03629): think, act, observe, again, until the model answers or a budget
 * ends it. One loop for every dialect. It yields events and keeps nothing: whoever reads the events may save them between
 * two of them (the generator waits) and start a later run from the saved steps.
 */
import { actAndObserve } from './act.ts'
import { roomForActions, stopReason, thinkingTime } from './budget.ts'
import { ObservationCut } from './parser/observation-cut.ts'
import { tooSlow } from '../errors.ts'
import { CUT_OFF, findingsOf, plainWords, partialAnswer } from './partial-answer.ts'
import type { AgentDeps, RunState, Task } from './run-state.ts'
import type { AgentEvent, Completion, CutOff, ParsedTurn, RunView, ToolCall, Usage } from './types.ts'

export type { AgentDeps, Task } from './run-state.ts'

export async function* runAgent(task: Task, deps: AgentDeps): AsyncGenerator<AgentEvent, void> {
  const run = begin(task, deps)
  for (;;) {
    yield* actAndObserve(run)
    const direct = directAnswer(run)
    if (direct !== undefined) return yield answerOf(run, direct)
    run.finalTurn = stopReason(run)
    const reading = yield* think(run)
    if (run.cutOff === 'silence') return yield fellSilent(run, reading)
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
  run.cutOff = completion?.cutOff
  return completion && wholeOf(run.dialect.read(completion, run.tools), completion)
}

/**
 * What of a completion that reached its length can be trusted: an answer, which is then said to be cut off, and an action
 * whose input was read as JSON. Half of a plain input is no input.
 */
function wholeOf(reading: ParsedTurn, { cutOff }: Completion): ParsedTurn {
  if (cutOff !== 'length' || reading.kind === 'finish') return reading
  if (reading.kind === 'unreadable') return { ...reading, hint: `${TOO_LONG} ${reading.hint}` }
  const isHalf = reading.actions.some(({ input }) => typeof input === 'string')
  return isHalf ? { kind: 'unreadable', thought: reading.thought, hint: `${TOO_LONG} Write your turn again.` } : reading
}

const TOO_LONG = 'Your output was cut off because it was too long: be shorter.'

/** One completion, ended at the first observation that the model invents. */
async function complete(run: RunState, usages: Usage[]): Promise<Completion | undefined> {
  const { stop } = run.dialect
  const time = thinkingTime(run)
  const { signal, ms: timeMs } = time
  const request = { ...run.dialect.render(viewOf(run)), stop, signal, timeMs, onUsage: (u: Usage) => usages.push(u) }
  let cut = new ObservationCut(run.dialect.beginsObservation)
  let toolCalls: ToolCall[] | undefined
  let cutOff: CutOff | undefined
  let reasoning = ''
  let heardAt = run.now().getTime()
  try {
    for await (const event of run.model.stream(request)) {
      heardAt = run.now().getTime()
      if (event.type === 'restart') [cut, reasoning] = [new ObservationCut(run.dialect.beginsObservation), '']
      else if (event.type === 'tool_calls') toolCalls = event.calls
      else if (event.type === 'cut_off') cutOff = 'length'
      else if (event.type === 'reasoning') reasoning = (reasoning + event.text).slice(0, REASONING_CHARS)
      else if (cut.push(event.text)) break
    }
  } catch (error) {
    if (run.task.signal.aborted || !signal.aborted) throw error
    if (!run.finalTurn) return undefined
    // Nothing was said in all the time of the run, and no tool found anything: that is a failure, not an answer.
    if (cut.text === '' && findingsOf(run.steps).length === 0)
      throw tooSlow(`model ${run.model.name}: nothing came within the run's time`, error)
    cutOff = run.now().getTime() - heardAt < Math.min(SILENT_MS, timeMs * SILENT_SHARE) ? 'time' : 'silence'
  } finally {
    time.release()
  }
  return { text: cut.text, reasoning, ...(toolCalls ? { toolCalls } : {}), ...(cutOff ? { cutOff } : {}) }
}

/** A model that has said nothing for so long, or for so much of the call's time, when that ends, has stalled. */
const SILENT_MS = 5_000
const SILENT_SHARE = 0.25

/** As much of what a model thinks beside its text is kept: it may become a thought. */
const REASONING_CHARS = 10_000

/** Takes the model's word: its actions become steps to run; what could not be read becomes a step that says so. */
function* decide(run: RunState, reading: Exclude<ParsedTurn, { kind: 'finish' }>): Generator<AgentEvent> {
  const turn = (run.steps.at(-1)?.turn ?? 0) + 1
  const thought = reading.thought
  // What is cut off is dealt with, and no answer of a tool's is.
  run.cutOff = undefined
  if (reading.kind === 'unreadable') {
    const observation = { ok: false, text: reading.hint }
    const unreadable = run.written.slice(0, UNREADABLE_CHARS)
    run.steps.push({ turn, thought, unreadable, observation })
    yield { type: 'thought', step: run.steps.length, turn, text: thought, unreadable }
    yield { type: 'observation', step: run.steps.length, observation, ms: 0 }
    return
  }
  const actions = reading.actions.slice(0, roomForActions(run))
  const dropped = reading.actions.length - actions.length
  for (const [i, action] of actions.entries()) {
    const isLast = i === actions.length - 1
    run.steps.push({ turn, thought: i === 0 ? thought : '', action, ...(isLast && dropped > 0 ? { dropped } : {}) })
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
  const said = last?.observation
  return direct && said?.ok && !said.hint ? said.text : undefined
}

function answerOf(run: RunState, text: string): AgentEvent {
  const found = run.steps.flatMap((step) => step.observation?.sources ?? [])
  const sources = [...new Map(found.map((source) => [source.url, source])).values()]
  const said = run.cutOff ? `${text}\n\n${CUT_OFF}` : text
  return { type: 'answer', text: said, sources, ...(run.finalTurn ? { stopped: run.finalTurn } : {}) }
}

/** The end of a run whose last call stalled: what the model had begun to say is no answer. */
function fellSilent(run: RunState, reading: ParsedTurn | undefined): AgentEvent {
  const begun = reading?.kind === 'finish' ? reading.answer : ''
  return { type: 'gave_up', reason: run.finalTurn ?? 'time', text: partialAnswer(run.steps, begun) }
}

/** The end without an answer in the dialect's form: the model's plain words where it wrote some, else what was found. */
function lastWords(run: RunState, reading: ParsedTurn | undefined): AgentEvent {
  const words = reading?.kind === 'unreadable' ? plainWords(run.written, run.dialect.beginsObservation) : ''
  if (words !== '') return answerOf(run, words)
  return { type: 'gave_up', reason: run.finalTurn ?? 'unreadable', text: partialAnswer(run.steps) }
}
