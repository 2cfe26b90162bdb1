/**
 * The ReAct loop (Yao et al. 2022, arXiv:2210.03629): think, act, observe, again, until the model answers or a budget
 * ends the run. One loop for every dialect. It yields events and stores nothing. Between two events the generator waits, so
 * a reader can save each one before the loop goes on, and start a later run from what it saved.
 */
import { tooSlow } from '../base/errors.ts'
import { actAndObserve } from './act.ts'
import { callDeadline, eitherOf, roomForActions, stopReason } from './budget.ts'
import { beginsMessage, cutMiddle } from './observation.ts'
import { ObservationCut } from './parser/observation-cut.ts'
import { CUT_OFF, findingsOf, knownSoFar, partialAnswer, plainProse } from './partial-answer.ts'
import { ADDED_CHARS, UNREADABLE_CHARS } from './prompt-size.ts'
import { nextTurn, NO_PROGRESS, reportUsage, tell } from './run-progress.ts'
import type { AgentDeps, RunState, Task } from './run-state.ts'
import type {
  AgentEvent,
  Completion,
  CutOff,
  MessageStep,
  ParsedTurn,
  RunView,
  ToolCall,
  ToolStep,
  UnreadableStep,
  Usage,
} from './types.ts'

export type { AgentDeps, Task } from './run-state.ts'

export async function* runAgent(task: Task, deps: AgentDeps): AsyncGenerator<AgentEvent, void> {
  const run = startRun(task, deps)
  try {
    yield* loop(run)
  } catch (error) {
    if (!isStopped(run)) throw error
    yield* reportUsage(run)
    // What was added before the stop belongs to this run: it is no question of its own.
    yield* takeAdditions(run)
    yield { type: 'gave_up', reason: 'stopped', text: knownSoFar(run.progress.steps) }
  } finally {
    run.release()
    // At this level alone: where an inner generator yields while it is being returned from, its `yield*` would go on afterwards.
    yield* reportUsage(run)
  }
}

/** Takes back what was told of an answer that is none, or not the one that counts. */
function* withdraw(run: RunState): Generator<AgentEvent> {
  if (run.told !== '') yield { type: 'answer_withdrawn' }
  run.told = ''
}

/** @throws the reason of `run.signal` when that is aborted. */
async function* loop(run: RunState): AsyncGenerator<AgentEvent, void> {
  for (;;) {
    run.signal.throwIfAborted()
    yield* actAndObserve(run)
    if (isWaiting(run)) return
    const direct = directAnswer(run)
    if (direct !== undefined) return yield answerOf(run, direct)
    run.signal.throwIfAborted()
    yield* takeAdditions(run)
    run.finalTurn = stopReason(run)
    const turn = yield* think(run)
    if (run.cutOff === 'silence') return yield stalled(run, turn)
    // What was added while the model wrote its answer is not in it: the model answers anew.
    if (turn?.kind === 'finish' && !run.finalTurn && (yield* takeAdditions(run))) {
      yield* withdraw(run)
      continue
    }
    if (turn?.kind === 'finish') return yield answerOf(run, turn.answer)
    if (run.finalTurn) return yield partialOf(run, turn)
    if (turn) yield* addSteps(run, turn)
  }
}

/** The tools that the model is told of: those that make files only where these go out with the answer. */
export function offeredTools({ tools, sendsFiles }: Pick<AgentDeps, 'tools' | 'sendsFiles'>): AgentDeps['tools'] {
  return sendsFiles ? tools : tools.filter(({ makesFiles }) => !makesFiles)
}

function startRun(task: Task, deps: AgentDeps): RunState {
  const { steps, memory, usage } = { ...NO_PROGRESS, ...task }
  const now = deps.now()
  return {
    ...deps,
    tools: offeredTools(deps),
    task,
    ...eitherOf(task.signal, deps.stopAsked?.()),
    progress: { steps, memory, usage },
    memory: structuredClone(memory),
    unreported: [],
    nonce: deps.newNonce(),
    startedAt: now.getTime(),
    today: now.toISOString().slice(0, 10),
    written: '',
    told: '',
  }
}

/** Puts what people have added behind the run's steps, before its next thought. @returns whether there was anything. */
function* takeAdditions(run: RunState): Generator<AgentEvent, boolean> {
  const added = run.added?.() ?? []
  for (const { id, user, text } of added) {
    const { steps } = run.progress
    const turn = steps.at(-1)?.turn ?? 0
    const step: MessageStep = { kind: 'message', turn, id, user, text: cutMiddle(text, ADDED_CHARS) }
    yield tell(run, { type: 'message', n: steps.length + 1, step })
  }
  return added.length > 0
}

/** A step of the run waits for a person: nothing can be thought before that is decided. */
function isWaiting({ progress }: RunState): boolean {
  return progress.steps.some((step) => step.kind === 'tool' && step.waiting && !step.observation)
}

/** A person asked to stop, and this process may say so: the run is not handed over at the same time. */
function isStopped(run: RunState): boolean {
  return run.stopAsked?.().aborted === true && !run.task.signal.aborted
}

/** Asks the model for one turn. Undefined if the time for thinking ran out meanwhile: then the next turn is the final one. */
async function* think(run: RunState): AsyncGenerator<AgentEvent, ParsedTurn | undefined> {
  const asked = run.now().getTime()
  const usages: Usage[] = []
  let completion: Completion | undefined
  try {
    completion = yield* complete(run, usages)
  } finally {
    // A call that failed has been paid for too.
    const ms = run.now().getTime() - asked
    run.unreported.push(...usages.map((usage) => ({ usage, ms })))
  }
  yield* reportUsage(run)
  run.written = completion?.text ?? ''
  run.cutOff = completion?.cutOff
  const turn = completion && wholeOf(run.dialect.read(completion, run.tools), completion)
  if (!(turn?.kind === 'finish' && turn.answer.startsWith(run.told))) yield* withdraw(run)
  return turn
}

/** One completion. The stream is ended at the first observation that the model invents. */
async function* complete(run: RunState, usages: Usage[]): AsyncGenerator<AgentEvent, Completion | undefined> {
  const { stop } = run.dialect
  const invention = (line: string) => run.dialect.beginsObservation(line) || beginsMessage(line)
  const time = callDeadline(run)
  const { signal, ms: timeMs } = time
  const request = { ...run.dialect.render(viewOf(run)), stop, signal, timeMs, onUsage: (u: Usage) => usages.push(u) }
  let cut = new ObservationCut(invention)
  let toolCalls: ToolCall[] | undefined
  let cutOff: CutOff | undefined
  let reasoning = ''
  let unseen = false
  let heardAt = run.now().getTime()
  let along = run.readAlong?.(run.dialect, run.tools)
  run.told = ''
  try {
    for await (const event of run.model.stream(request)) {
      heardAt = run.now().getTime()
      if (event.type === 'restart') {
        ;[cut, reasoning, along] = [new ObservationCut(invention), '', run.readAlong?.(run.dialect, run.tools)]
        unseen = false
        yield* withdraw(run)
      } else if (event.type === 'tool_calls') toolCalls = event.calls
      else if (event.type === 'cut_off') cutOff = 'length'
      else if (event.type === 'unseen') unseen = true
      else if (event.type === 'reasoning') reasoning = (reasoning + event.text).slice(0, REASONING_CHARS)
      else if (cut.push(event.text)) break
      else if (along) {
        const text = along.push(event.text, cut)
        run.told = along.told
        if (text !== '') yield { type: 'answer_delta', text }
      }
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
  run.unseen = unseen || undefined
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
    ...(task.images?.length ? { images: task.images } : {}),
    tools,
    steps: progress.steps,
    today,
    nonce,
    history: task.history ?? [],
    ...(task.said ? { said: task.said } : {}),
    ...(task.filesText ? { filesText: task.filesText } : {}),
    ...(finalTurn ? { finalTurn } : {}),
  }
}

/**
 * What can be used of a completion that was cut off at its length limit: an answer, which is then marked as cut off, and an
 * action whose input is JSON that could be read. A plain-text input may be cut in half, and a tool must not run on that.
 */
function wholeOf(reading: ParsedTurn, { cutOff }: Completion): ParsedTurn {
  if (cutOff !== 'length' || reading.kind === 'finish') return reading
  if (reading.kind === 'unreadable') return { ...reading, hint: `${TOO_LONG} ${reading.hint}` }
  const isHalf = reading.actions.some(({ input }) => typeof input === 'string')
  return isHalf ? { kind: 'unreadable', thought: reading.thought, hint: `${TOO_LONG} Write your turn again.` } : reading
}

const TOO_LONG = 'Your output was cut off because it was too long: be shorter.'

/** The model's actions become steps to run; a completion that could not be read becomes a step that tells the model so. */
function* addSteps(run: RunState, turn: Exclude<ParsedTurn, { kind: 'finish' }>): Generator<AgentEvent> {
  // This completion's cut is dealt with in its steps: an answer that a tool gives (`returnDirect`) is not cut off.
  run.cutOff = undefined
  if (turn.kind === 'unreadable') {
    const [step, n] = [unreadableStep(run, turn), run.progress.steps.length + 1]
    yield tell(run, { type: 'thought', n, step })
    return yield tell(run, { type: 'observation', n, step, ms: 0 })
  }
  for (const step of toolSteps(run, turn)) {
    const n = run.progress.steps.length + 1
    yield tell(run, { type: 'thought', n, step })
    yield tell(run, { type: 'action', n, step })
  }
}

/** The step that a completion becomes of which nothing can be read; its observation is the dialect's hint. */
function unreadableStep(run: RunState, { thought, hint }: ParsedTurn & { kind: 'unreadable' }): UnreadableStep {
  const text = run.written.slice(0, UNREADABLE_CHARS)
  return { kind: 'unreadable', turn: nextTurn(run), thought, text, observation: { ok: false, text: hint } }
}

/** The thought stands on the first step of a turn, the number of calls that were dropped on the last one. */
function toolSteps(run: RunState, { thought, actions }: ParsedTurn & { kind: 'actions' }): ToolStep[] {
  const [turn, used] = [nextTurn(run), actions.slice(0, roomForActions(run))]
  const dropped = actions.length - used.length
  return used.map((action, i) => ({
    kind: 'tool',
    turn,
    thought: i === 0 ? thought : '',
    action,
    ...(i === used.length - 1 && dropped > 0 ? { dropped } : {}),
  }))
}

/** The output of a tool that answers by itself (`returnDirect`), once it has run. */
function directAnswer(run: RunState): string | undefined {
  const last = run.progress.steps.at(-1)
  if (last?.kind !== 'tool') return undefined
  const { action, observation } = last
  const isDirect = run.tools.find((tool) => tool.name === action.tool)?.returnDirect
  return isDirect && observation?.ok && !observation.hint ? observation.text : undefined
}

function answerOf(run: RunState, text: string): AgentEvent {
  const found = run.progress.steps.flatMap((step) => (step.kind === 'message' ? [] : (step.observation?.sources ?? [])))
  const sources = [...new Map(found.map((source) => [source.url, source])).values()]
  const said = run.cutOff ? `${text}\n\n${CUT_OFF}` : text
  return {
    type: 'answer',
    text: said,
    sources,
    ...(run.finalTurn ? { stopped: run.finalTurn } : {}),
    ...blindnessOf(run),
  }
}

function blindnessOf({ unseen }: RunState): { unseen?: true } {
  return unseen ? { unseen } : {}
}

/** The end of a run whose final turn stalled: what the model had begun to say is no answer. */
function stalled(run: RunState, turn: ParsedTurn | undefined): AgentEvent {
  const begun = turn?.kind === 'finish' ? turn.answer : ''
  const text = partialAnswer(run.progress.steps, begun)
  return { type: 'gave_up', reason: run.finalTurn ?? 'time', text, ...blindnessOf(run) }
}

/** A final turn that is not in the dialect's form: the answer is its prose where it has some, else what the tools found. */
function partialOf(run: RunState, turn: ParsedTurn | undefined): AgentEvent {
  const prose = turn?.kind === 'unreadable' ? plainProse(run.written, run.dialect.beginsObservation) : ''
  if (prose !== '') return answerOf(run, prose)
  const text = partialAnswer(run.progress.steps) + (run.cutOff ? `\n\n${CUT_OFF}` : '')
  return { type: 'gave_up', reason: run.finalTurn ?? 'unreadable', text, ...blindnessOf(run) }
}
