/** THE use case: history, condense, agent, history. Yields what happens, and saves each part before it goes on. */
import { runAgent, type AgentDeps } from './agent/agent.ts'
import type { AgentEvent, Model, Step, Usage } from './agent/types.ts'
import { condense } from './condense.ts'
import { tooSlow } from './errors.ts'
import type { History, Turn } from './history/types.ts'
import type { Prompts } from './prompts.ts'
import { conversationOf, type Question, type Run, type RunPart, type SavedRun } from './run/types.ts'

/** The agent's events, and before them how a follow-up was understood. */
export type AnswerEvent = AgentEvent | { type: 'understood'; question: string }

export interface AnswerDeps {
  agent: AgentDeps
  history: History
  prompts: Prompts
  /** Condenses follow-ups; a small model is enough. */
  condenseModel: Model
}

/**
 * Answers one question, or goes on with a run that another process began: what was saved is not done again.
 * The reader must have delivered an event before it asks for the next: the history is written after the answer is out.
 */
export async function* answer(
  question: Question,
  run: Run,
  deps: AnswerDeps & { signal: AbortSignal },
): AsyncGenerator<AnswerEvent> {
  const thread = conversationOf(question)
  const turns = (await deps.history.load(thread)).filter((turn) => turn.id !== question.id)
  const standalone = yield* understand(question, run, { ...deps, turns })
  if (standalone !== question.text) yield { type: 'understood', question: standalone }
  const final = run.saved.answer ? yield* again(run.saved.answer) : yield* work(standalone, run, { ...deps, turns })
  if (final) await deps.history.append(thread, turnOf(question, standalone, final.text))
}

type Deps = AnswerDeps & { signal: AbortSignal; turns: Turn[] }
type Final = Extract<AgentEvent, { type: 'answer' | 'gave_up' }>

async function* understand(question: Question, run: Run, deps: Deps): AsyncGenerator<AnswerEvent, string> {
  if (run.saved.standalone !== undefined) return run.saved.standalone
  if (deps.agent.dialect.carriesHistory || deps.turns.length === 0) return question.text
  const used: Usage[] = []
  const from = deps.agent.now().getTime()
  const standalone = await condenseInTime(question.text, deps, (usage) => used.push(usage)).catch(async (error) => {
    await keep(run, usageParts(run, used))
    throw error
  })
  await run.save({ part: 'standalone', value: standalone }, ...usageParts(run, used))
  for (const usage of used) yield { type: 'usage', usage, ms: deps.agent.now().getTime() - from }
  return standalone
}

/** Condensing gets half of the run's time, so that a silent model does not keep people waiting for ever. */
async function condenseInTime(text: string, deps: Deps, onUsage: (usage: Usage) => void): Promise<string> {
  const timeMs = deps.agent.limits.timeoutMs / 2
  const time = AbortSignal.timeout(timeMs)
  const signal = AbortSignal.any([deps.signal, time])
  const { prompts, condenseModel: model } = deps
  try {
    return await condense(text, deps.turns, { prompts, model, signal, timeMs, onUsage })
  } catch (error) {
    if (!time.aborted || deps.signal.aborted) throw error
    throw tooSlow('the model did not condense in time', error)
  }
}

/** Yields the answer that an earlier process saved, because nobody knows whether it was delivered. */
async function* again(saved: NonNullable<SavedRun['answer']>): AsyncGenerator<AnswerEvent, Final> {
  const { text, sources, stopped, gaveUp } = saved
  const event: Final =
    gaveUp && stopped
      ? { type: 'gave_up', reason: stopped, text }
      : { type: 'answer', text, sources, ...(stopped ? { stopped } : {}) }
  yield event
  return event
}

/**
 * Runs the agent and saves as it goes: an action before its tool runs, an observation before it is shown. What gets a post of
 * its own is yielded while it is saved, so that the post's claim goes to Redis in the same command; the loop waits for both.
 */
async function* work(standalone: string, run: Run, deps: Deps): AsyncGenerator<AnswerEvent, Final | undefined> {
  const history = deps.turns.map((turn) => ({ question: turn.standalone || turn.question, answer: turn.answer }))
  const task = {
    question: standalone,
    history,
    steps: [...run.saved.steps],
    memory: { ...run.saved.memory },
    usage: [] as Usage[],
    spent: [...run.saved.usage],
    signal: deps.signal,
  }
  const before = run.saved.usage.length
  const unsaved = () => usageParts(run, task.usage.slice(run.saved.usage.length - before))
  let final: Final | undefined
  try {
    for await (const event of runAgent(task, deps.agent)) {
      const parts = partsOf(event, task)
      const saved = parts.length > 0 ? run.save(...unsaved(), ...parts) : undefined
      saved?.catch(() => undefined)
      if (event.type === 'observation') await saved
      if (event.type === 'answer' || event.type === 'gave_up') final = event
      yield event
      await saved
    }
  } finally {
    await keep(run, unsaved())
  }
  return final
}

/** Saves what a failed run cost. If that fails too it is ignored: the caller needs the run's own error. */
async function keep(run: Run, usage: RunPart[]): Promise<void> {
  if (usage.length > 0) await run.save(...usage).catch(() => undefined)
}

/** What an event changes in the saved run. */
function partsOf(event: AgentEvent, task: { steps: Step[]; memory: Record<string, unknown> }): RunPart[] {
  if (event.type === 'answer') return [{ part: 'answer', value: finalOf(event) }]
  if (event.type === 'gave_up')
    return [{ part: 'answer', value: { text: event.text, sources: [], stopped: event.reason, gaveUp: true } }]
  if (event.type !== 'action' && event.type !== 'observation') return []
  const step: RunPart = { part: 'step', n: event.step, value: task.steps[event.step - 1]! }
  const remembered = event.type === 'observation' && Object.keys(task.memory).length > 0
  return remembered ? [step, { part: 'memory', value: task.memory }] : [step]
}

function finalOf({ text, sources, stopped }: Extract<AgentEvent, { type: 'answer' }>) {
  return { text, sources, ...(stopped ? { stopped } : {}) }
}

/** Keeps the saved run's own list of usage in step, so that the footer of a resumed run counts all of it. */
function usageParts(run: Run, used: Usage[]): RunPart[] {
  return used.map((usage) => {
    run.saved.usage.push(usage)
    return { part: 'usage', n: run.saved.usage.length, value: usage }
  })
}

function turnOf(question: Question, standalone: string, text: string): Turn {
  return { id: question.id, question: question.text, standalone, answer: text, user: question.user, at: question.at }
}
