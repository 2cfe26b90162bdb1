/**
 * The ReAct loop (Yao et al. 2022, arXiv:2210.03629): think, act, observe, again, until the model answers or a budget
 * ends the run. One loop for every dialect. It yields events and stores nothing. Between two events the generator waits, so
 * a reader can save each one before the loop goes on, and start a later run from what it saved.
 */
import { actAndObserve } from './act.ts'
import { roomForActions, stopReason } from './budget.ts'
import { complete } from './complete.ts'
import { CUT_OFF, knownSoFar, partialAnswer, plainProse } from './partial-answer.ts'
import { nextTurn, reportUsage, startRun, tell, type AgentDeps, type RunState, type Task } from './run-state.ts'
import { isStopped, isWaiting, takeAdditions } from './steering.ts'
import type { AgentEvent, Completion, ParsedTurn, ToolStep, Usage } from './types.ts'
import { unreadableStep, wholeOf } from './unreadable.ts'

export type { AgentDeps, Task } from './run-state.ts'

export async function* runAgent(task: Task, deps: AgentDeps): AsyncGenerator<AgentEvent, void> {
  const run = startRun(task, deps)
  try {
    yield* loop(run)
  } catch (error) {
    if (!isStopped(run)) throw error
    yield* reportUsage(run)
    yield { type: 'gave_up', reason: 'stopped', text: knownSoFar(run.progress.steps) }
  } finally {
    run.release()
    // At this level alone: where an inner generator yields while it is being returned from, its `yield*` would go on afterwards.
    yield* reportUsage(run)
  }
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
    if (turn?.kind === 'finish' && !run.finalTurn && (yield* takeAdditions(run))) continue
    if (turn?.kind === 'finish') return yield answerOf(run, turn.answer)
    if (run.finalTurn) return yield partialOf(run, turn)
    if (turn) yield* addSteps(run, turn)
  }
}

/** Asks the model for one turn. Undefined if the time for thinking ran out meanwhile: then the next turn is the final one. */
async function* think(run: RunState): AsyncGenerator<AgentEvent, ParsedTurn | undefined> {
  const asked = run.now().getTime()
  const usages: Usage[] = []
  let completion: Completion | undefined
  try {
    completion = await complete(run, usages)
  } finally {
    // A call that failed has been paid for too.
    const ms = run.now().getTime() - asked
    run.unreported.push(...usages.map((usage) => ({ usage, ms })))
  }
  yield* reportUsage(run)
  run.written = completion?.text ?? ''
  run.cutOff = completion?.cutOff
  return completion && wholeOf(run.dialect.read(completion, run.tools), completion)
}

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
  return { type: 'answer', text: said, sources, ...(run.finalTurn ? { stopped: run.finalTurn } : {}) }
}

/** The end of a run whose final turn stalled: what the model had begun to say is no answer. */
function stalled(run: RunState, turn: ParsedTurn | undefined): AgentEvent {
  const begun = turn?.kind === 'finish' ? turn.answer : ''
  return { type: 'gave_up', reason: run.finalTurn ?? 'time', text: partialAnswer(run.progress.steps, begun) }
}

/** A final turn that is not in the dialect's form: the answer is its prose where it has some, else what the tools found. */
function partialOf(run: RunState, turn: ParsedTurn | undefined): AgentEvent {
  const prose = turn?.kind === 'unreadable' ? plainProse(run.written, run.dialect.beginsObservation) : ''
  if (prose !== '') return answerOf(run, prose)
  return { type: 'gave_up', reason: run.finalTurn ?? 'unreadable', text: partialAnswer(run.progress.steps) }
}
