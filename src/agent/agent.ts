/**
 * The ReAct loop (Yao et al. 2022, arXiv:2210.03629): think, act, observe, repeat, until the model answers or a budget
 * ends the run. All dialects share it. It yields events and stores nothing. Between two events the generator waits, so
 * a reader can save each event before the loop continues, and start a later run from what it saved.
 */
import { actAndObserve } from './act.ts'
import { eitherOf, roomForActions, stopReason } from './budget.ts'
import { repeatsLoop, withoutMarks } from './check-answer.ts'
import { complete, withdraw } from './stream-completion.ts'
import { cutMiddle } from './observation.ts'
import { CUT_OFF, knownSoFar, partialAnswer, plainProse } from './partial-answer.ts'
import { ADDED_CHARS, UNREADABLE_CHARS } from './prompt-size.ts'
import { formOf, readTurn } from './read-turn.ts'
import { nextTurn, NO_PROGRESS, reportUsage, record } from './run-progress.ts'
import type { AgentDeps, RunState, Task } from './run-state.ts'
import { withTitle } from './tool-title.ts'
import type { Completion, ParsedTurn } from './contracts/dialect.ts'
import type { Usage } from './contracts/model.ts'
import type { AgentEvent, MessageStep, StopReason, ToolStep, UnreadableStep } from './contracts/run-events.ts'

export type { AgentDeps, Task } from './run-state.ts'

export async function* runAgent(task: Task, deps: AgentDeps): AsyncGenerator<AgentEvent, void> {
  const run = startRun(task, deps)
  try {
    yield* loop(run)
  } catch (error) {
    if (!isStopped(run)) throw error
    yield* reportUsage(run)
    // Additions made before the stop belong to this run and must not become questions of their own.
    yield* takeAdditions(run)
    yield { type: 'gave_up', reason: 'stopped', text: knownSoFar(run.progress.steps) }
  } finally {
    run.release()
    // Only at this level: an inner generator that yields while it is being returned from continues afterwards.
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
    if (run.cutOff === 'endless' && turn?.kind !== 'finish') return yield gaveUp(run, 'tokens')
    // The answer does not cover additions made while it was written, so the model answers again.
    if (turn?.kind === 'finish' && !run.finalTurn && (yield* takeAdditions(run))) {
      yield* withdraw(run)
      continue
    }
    if (turn?.kind === 'finish') return yield answerOf(run, turn.answer)
    const isAskedAgain = turn?.kind === 'unreadable' && turn.isAnswer
    if (run.finalTurn && !isAskedAgain) return yield partialOf(run, turn)
    if (turn) yield* addSteps(run, turn)
  }
}

/** The tools offered to the model. Tools that make files are offered only if the files can be sent. */
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
    today: task.today ?? now.toISOString().slice(0, 10),
    written: '',
    streamedText: '',
  }
}

/** Appends people's additions to the steps before the next thought. @returns whether there were any */
function* takeAdditions(run: RunState): Generator<AgentEvent, boolean> {
  const added = run.added?.() ?? []
  for (const { id, user, text } of added) {
    const { steps } = run.progress
    const turn = steps.at(-1)?.turn ?? 0
    const step: MessageStep = { kind: 'message', turn, id, user, text: cutMiddle(text, ADDED_CHARS) }
    yield record(run, { type: 'message', n: steps.length + 1, step })
  }
  return added.length > 0
}

/** Returns whether a step waits for a person. The run cannot continue before that is decided. */
function isWaiting({ progress }: RunState): boolean {
  return progress.steps.some((step) => step.kind === 'tool' && step.waiting && !step.observation)
}

/**
 * Returns whether a person stopped the run. False while the run is handed over: then another process reports the stop.
 */
function isStopped(run: RunState): boolean {
  return run.stopAsked?.().aborted === true && !run.task.signal.aborted
}

/** Asks the model for one turn. Undefined if the thinking time ran out: the next turn is then the final one. */
async function* think(run: RunState): AsyncGenerator<AgentEvent, ParsedTurn | undefined> {
  const startedAt = run.now().getTime()
  const usages: Usage[] = []
  let completion: Completion | undefined
  try {
    completion = yield* complete(run, usages)
  } finally {
    // A failed call costs tokens too. One that was handed over before its first token is made again, and counted then.
    const ms = run.now().getTime() - startedAt
    const isUsed = ({ outputTokens, estimated }: Usage) => outputTokens > 0 || !estimated || !run.task.signal.aborted
    run.unreported.push(...usages.filter(isUsed).map((usage) => ({ usage, ms })))
  }
  yield* reportUsage(run)
  run.written = completion?.text ?? ''
  run.reasoning = completion?.reasoning?.trim()
  run.kept = completion?.kept
  run.cutOff = completion?.cutOff
  const turn = completion && readTurn(run, completion)
  if (!(turn?.kind === 'finish' && turn.answer.startsWith(run.streamedText))) yield* withdraw(run)
  return turn
}

/** Adds the model's actions as steps. An unreadable completion becomes a step that tells the model so. */
function* addSteps(run: RunState, turn: Exclude<ParsedTurn, { kind: 'finish' }>): Generator<AgentEvent> {
  // The steps handle this completion's cut-off. An answer from a tool (`returnDirect`) is not cut off.
  run.cutOff = undefined
  if (turn.kind === 'unreadable') {
    const [step, n] = [unreadableStep(run, turn), run.progress.steps.length + 1]
    yield record(run, { type: 'thought', n, step })
    return yield record(run, { type: 'observation', n, step, ms: 0 })
  }
  for (const step of toolSteps(run, turn)) {
    const n = run.progress.steps.length + 1
    yield record(run, { type: 'thought', n, step })
    yield record(run, { type: 'action', n, step })
  }
}

/** The step for an unreadable completion. Its observation is the dialect's hint. */
function unreadableStep(run: RunState, turn: Extract<ParsedTurn, { kind: 'unreadable' }>): UnreadableStep {
  const { thought, hint, isAnswer } = turn
  const reasoning = run.reasoning ? { reasoning: run.reasoning } : {}
  const observation = { ok: false, text: hint }
  const text = run.written.slice(0, UNREADABLE_CHARS)
  const shared = { turn: nextTurn(run), thought, ...reasoning, text, ...(isAnswer ? { isAnswer } : {}) }
  return { kind: 'unreadable', ...shared, observation }
}

/** The first step of a turn has the thought and the reasoning, the last one the number of dropped calls. */
function toolSteps(run: RunState, { thought, actions }: Extract<ParsedTurn, { kind: 'actions' }>): ToolStep[] {
  const [turn, used] = [nextTurn(run), actions.slice(0, roomForActions(run))]
  const dropped = actions.length - used.length
  return used.map((action, i) => ({
    kind: 'tool',
    turn,
    thought: i === 0 ? thought : '',
    ...(i === 0 && run.reasoning ? { reasoning: run.reasoning } : {}),
    ...(i === 0 && run.kept ? { kept: run.kept } : {}),
    action: withTitle(action, run.tools),
    ...(i === used.length - 1 && dropped > 0 ? { dropped } : {}),
  }))
}

/** The output of a tool with `returnDirect`, once it has run. */
function directAnswer(run: RunState): string | undefined {
  const last = run.progress.steps.at(-1)
  if (last?.kind !== 'tool') return undefined
  const { action, observation } = last
  const isDirect = run.tools.find((tool) => tool.name === action.tool)?.returnDirect
  return isDirect && observation?.ok && !observation.hint ? observation.text : undefined
}

function answerOf(run: RunState, text: string): AgentEvent {
  const found = run.progress.steps.flatMap((step) => (step.kind === 'message' ? [] : (step.observation?.sources ?? [])))
  const sources = [...new Map([...found, ...(run.task.sources ?? [])].map((source) => [source.url, source])).values()]
  const shown = run.cutOff ? `${text}\n\n${CUT_OFF}` : text
  const stopped = run.finalTurn ? { stopped: run.finalTurn } : {}
  return { type: 'answer', text: shown, sources, ...stopped, ...(run.unseen && { unseen: run.unseen }) }
}

/** The result of a run whose final turn stalled. The text that the model had begun is not an answer. */
function stalled(run: RunState, turn: ParsedTurn | undefined): AgentEvent {
  return gaveUp(run, 'time', partialAnswer(run.progress.steps, turn?.kind === 'finish' ? turn.answer : ''))
}

/** `reason`: why a turn that was not the final one ended the run. */
function gaveUp(run: RunState, reason: StopReason, text = partialAnswer(run.progress.steps)): AgentEvent {
  return { type: 'gave_up', reason: run.finalTurn ?? reason, text, ...(run.unseen && { unseen: run.unseen }) }
}

/** The result of an unreadable final turn: its prose if there is any, otherwise what the tools found. */
function partialOf(run: RunState, turn: ParsedTurn | undefined): AgentEvent {
  const mayBeProse = turn?.kind === 'unreadable' && run.dialect.takesProse !== 'none'
  const prose = mayBeProse ? withoutMarks(plainProse(run.written, formOf(run)), run.nonce) : ''
  if (prose !== '' && !repeatsLoop(prose, run.progress.steps)) return answerOf(run, prose)
  return gaveUp(run, 'unreadable', partialAnswer(run.progress.steps) + (run.cutOff ? `\n\n${CUT_OFF}` : ''))
}
