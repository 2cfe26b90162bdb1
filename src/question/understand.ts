/** The standalone form of a follow-up, as part of a run: in time, stopped with it, paid and saved. */
import type { AgentDeps } from '../agent/agent.ts'
import type { Model, Usage } from '../agent/contracts/model.ts'
import type { AgentEvent } from '../agent/contracts/run-events.ts'
import { tooSlow } from '../base/errors.ts'
import type { Prompts } from '../base/prompts.ts'
import type { HeardSignals } from '../stores/runs/control.ts'
import type { Question, Run } from '../stores/runs/types.ts'
import { condense, type Conversation } from './condense.ts'
import { saveQuietly, unsavedUsage } from './run-parts.ts'

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>

interface UnderstandDeps extends Conversation {
  agent: AgentDeps
  prompts: Prompts
  condenseModel: Model
  heard: HeardSignals
  signal: AbortSignal
}

/**
 * Yields the usage of the call, and returns the standalone form. A question that is not a follow-up is returned as it
 * was typed. Saves the form, so that a run that continues in another process uses the same.
 */
export async function* understand(
  question: Question,
  run: Run,
  deps: UnderstandDeps,
): AsyncGenerator<UsageEvent, string> {
  if (run.saved.standalone !== undefined) return run.saved.standalone
  if (deps.agent.dialect.carriesHistory || deps.turns.length === 0) return question.text
  const used: Usage[] = []
  const unsaved = () => unsavedUsage(run, [...run.saved.usage, ...used])
  const from = deps.agent.now().getTime()
  try {
    const standalone = await condenseInTime(question.text, deps, (usage) => used.push(usage))
    await run.save({ part: 'standalone', value: standalone }, ...unsaved())
    return standalone
  } catch (error) {
    await saveQuietly(run, unsaved())
    // The agent, which runs next, reports that the run was stopped.
    if (deps.heard.stopAsked().aborted && !deps.signal.aborted) return question.text
    throw error
  } finally {
    for (const usage of used) yield { type: 'usage', usage, ms: deps.agent.now().getTime() - from }
  }
}

/** Condensing gets at most half of the run's time, so that a silent model does not keep people waiting. */
async function condenseInTime(text: string, deps: UnderstandDeps, onUsage: (usage: Usage) => void): Promise<string> {
  const timeMs = deps.agent.limits.timeoutMs / 2
  const time = AbortSignal.timeout(timeMs)
  const signal = AbortSignal.any([deps.signal, time, deps.heard.stopAsked()])
  const { prompts, condenseModel: model, turns, said } = deps
  const nonce = deps.agent.newNonce()
  try {
    return await condense(text, { turns, said, nonce }, { prompts, model, signal, timeMs, onUsage })
  } catch (error) {
    if (!time.aborted || deps.signal.aborted) throw error
    throw tooSlow('the model did not condense in time', error)
  }
}
