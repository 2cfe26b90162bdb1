/**
 * The ReAct loop (Yao et al. 2022, arXiv:2210.03629): think, act, observe, repeat, until the model answers or a budget
 * ends the run. All dialects share it. It yields events and stores nothing. Between two events the generator waits, so
 * a reader can save each event before the loop continues, and start a later run from what it saved.
 */
import { uniqueSources } from './contracts/evidence.ts'
import { actAndObserve } from './act.ts'
import { eitherOf, roomForActions, whyLastTurn } from './budget.ts'
import { repeatsExample, repeatsLoop, withoutMarks } from './check-answer.ts'
import { complete, retract, type Streamed } from './stream-completion.ts'
import { cutMiddle } from './observation.ts'
import { hasKeptTables } from './output-tables.ts'
import { CUT_OFF, knownSoFar, partialAnswer, plainProse } from './partial-answer.ts'
import { ADDED_CHARS, UNREADABLE_CHARS } from './prompt-size.ts'
import { callForms, readTurn } from './read-turn.ts'
import { nextTurn, NO_PROGRESS, reportUsage, record } from './run-progress.ts'
import type { AgentDeps, RunState, Task, ModelTurn } from './run-state.ts'
import { withTitle } from './tool-title.ts'
import type { ParsedTurn } from './contracts/dialect.ts'
import type { Usage } from './contracts/model.ts'
import type { AgentEvent, MessageStep, StopReason, ToolStep, UnreadableStep } from './contracts/run-events.ts'
import type { ToolMemory } from './contracts/tool.ts'

export type { AgentDeps, Task } from './run-state.ts'

export async function* runAgent(task: Task, deps: AgentDeps): AsyncGenerator<AgentEvent, void> {
  const run = startRun(task, deps)
  try {
    const end = yield* loop(run)
    if (end !== 'waiting') yield end
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

/** How a run ends: with an answer, without one, or until a person decides. */
type LoopEnd = Extract<AgentEvent, { type: 'answer' | 'gave_up' }> | 'waiting'

/** @throws the reason of `run.signal` when that is aborted. */
async function* loop(run: RunState): AsyncGenerator<AgentEvent, LoopEnd> {
  let unseen: true | undefined
  for (;;) {
    run.signal.throwIfAborted()
    yield* actAndObserve(run)
    if (isWaiting(run)) return 'waiting'
    const direct = directAnswer(run)
    if (direct !== undefined) return answerOf(run, direct, { unseen })
    run.signal.throwIfAborted()
    yield* takeAdditions(run)
    const turn = yield* think(run, whyLastTurn(run))
    if (!turn) continue
    const { read, cutOff, finalTurn } = turn
    unseen = turn.unseen
    if (cutOff === 'silence') return stalled(run, turn)
    if (read.kind === 'finish') {
      if (finalTurn || !(yield* takeAdditions(run))) return answerOf(run, read.answer, turn)
      // The answer does not cover additions made while it was written, so the model answers again.
      yield* retract(turn.streamed)
      continue
    }
    if (cutOff === 'endless') return gaveUp(run, turn, 'tokens')
    const isAskedAgain = read.kind === 'unreadable' && read.isAnswer
    if (finalTurn && !isAskedAgain) return partialOf(run, turn)
    yield* addSteps(run, turn, read)
  }
}

/**
 * The tools offered to the model: those that make files only if files can be sent, those of tables if there are any.
 */
export function offeredTools(
  { tools, sendsFiles }: Pick<AgentDeps, 'tools' | 'sendsFiles'>,
  memory: ToolMemory = {},
): AgentDeps['tools'] {
  const hasTables = hasKeptTables(memory)
  return tools.filter(({ makesFiles, needsTables }) => (sendsFiles || !makesFiles) && (hasTables || !needsTables))
}

function startRun(task: Task, deps: AgentDeps): RunState {
  const { steps, memory, usage } = { ...NO_PROGRESS, ...task }
  const now = deps.now()
  const own = structuredClone(memory)
  return {
    ...deps,
    get tools() {
      return offeredTools(deps, own)
    },
    task,
    ...eitherOf(task.signal, deps.stopAsked?.()),
    progress: { steps, memory, usage },
    memory: own,
    unreported: [],
    nonce: deps.newNonce(),
    startedAt: now.getTime(),
    today: task.today ?? now.toISOString().slice(0, 10),
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
async function* think(
  run: RunState,
  finalTurn: StopReason | undefined,
): AsyncGenerator<AgentEvent, ModelTurn | undefined> {
  const startedAt = run.now().getTime()
  const usages: Usage[] = []
  let told: Streamed
  try {
    told = yield* complete(run, finalTurn, usages)
  } finally {
    // A failed call costs tokens too. One that was handed over before its first token is made again, and counted then.
    const ms = run.now().getTime() - startedAt
    const isUsed = ({ outputTokens, estimated }: Usage) => outputTokens > 0 || !estimated || !run.task.signal.aborted
    run.unreported.push(...usages.filter(isUsed).map((usage) => ({ usage, ms })))
  }
  yield* reportUsage(run)
  const { completion, streamed, unseen } = told
  const turn = completion && readTurn(run, completion, { finalTurn, streamed })
  const isShown = turn?.read.kind === 'finish' && turn.read.answer.startsWith(streamed)
  if (!isShown) yield* retract(streamed)
  return turn && { ...completion, ...turn, finalTurn, unseen, streamed: isShown ? streamed : '' }
}

/** Adds the model's actions as steps. An unreadable completion becomes a step that tells the model so. */
function* addSteps(
  run: RunState,
  turn: ModelTurn,
  read: Exclude<ParsedTurn, { kind: 'finish' }>,
): Generator<AgentEvent> {
  const { reasoning } = turn
  if (read.kind === 'unreadable') {
    const { thought, hint, isAnswer } = read
    const [text, observation] = [turn.text.slice(0, UNREADABLE_CHARS), { ok: false, text: hint }]
    const parts = { turn: nextTurn(run), thought, reasoning, text, observation }
    const step: UnreadableStep = { kind: 'unreadable', ...parts, isAnswer }
    const n = run.progress.steps.length + 1
    yield record(run, { type: 'thought', n, step })
    return yield record(run, { type: 'observation', n, step, ms: 0 })
  }
  for (const step of toolSteps(run, read, { reasoning, kept: turn.kept })) {
    const n = run.progress.steps.length + 1
    yield record(run, { type: 'thought', n, step })
    yield record(run, { type: 'action', n, step })
  }
}

/** The first step of a turn has the thought and the reasoning, the last one the number of dropped calls. */
function toolSteps(
  run: RunState,
  { thought, actions }: Extract<ParsedTurn, { kind: 'actions' }>,
  ofFirst: Pick<ToolStep, 'reasoning' | 'kept'>,
): ToolStep[] {
  const [turn, used] = [nextTurn(run), actions.slice(0, roomForActions(run))]
  const dropped = actions.length - used.length
  return used.map((action, i) => ({
    kind: 'tool',
    turn,
    thought: i === 0 ? thought : '',
    ...(i === 0 ? ofFirst : {}),
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

function answerOf(
  run: RunState,
  text: string,
  { cutOff, finalTurn, unseen }: Pick<ModelTurn, 'cutOff' | 'finalTurn' | 'unseen'>,
): LoopEnd {
  const found = run.progress.steps.flatMap((step) => (step.kind === 'message' ? [] : (step.observation?.sources ?? [])))
  const sources = uniqueSources([...found, ...(run.task.sources ?? [])])
  const shown = cutOff ? `${text}\n\n${CUT_OFF}` : text
  return { type: 'answer', text: shown, sources, ...(finalTurn && { stopped: finalTurn }), ...(unseen && { unseen }) }
}

/** The result of a run whose final turn stalled. The text that the model had begun is not an answer. */
function stalled(run: RunState, turn: ModelTurn): LoopEnd {
  const begun = turn.read.kind === 'finish' ? turn.read.answer : ''
  return gaveUp(run, turn, 'time', partialAnswer(run.progress.steps, begun))
}

/** `reason`: why a turn that was not the final one ended the run. */
function gaveUp(
  run: RunState,
  { finalTurn, unseen }: ModelTurn,
  reason: StopReason,
  text = partialAnswer(run.progress.steps),
): LoopEnd {
  return { type: 'gave_up', reason: finalTurn ?? reason, text, ...(unseen && { unseen }) }
}

/** The result of an unreadable final turn: its prose if there is any, otherwise what the tools found. */
function partialOf(run: RunState, turn: ModelTurn): LoopEnd {
  const mayBeProse = turn.read.kind === 'unreadable' && run.dialect.takesProse !== 'none'
  const prose = mayBeProse ? withoutMarks(plainProse(turn.text, callForms(run)), run.nonce) : ''
  const isOwn = !repeatsLoop(prose, run.progress.steps) && !repeatsExample(run, prose)
  if (prose !== '' && isOwn) return answerOf(run, prose, turn)
  const note = turn.cutOff ? `\n\n${CUT_OFF}` : ''
  return gaveUp(run, turn, 'unreadable', partialAnswer(run.progress.steps) + note)
}
