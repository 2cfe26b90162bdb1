import { runAgent, type AgentDeps } from '../agent/agent.ts'
import type { AgentEvent, StopReason, Usage } from '../agent/types.ts'
import { totalOf } from '../agent/usage.ts'
import { messageOf, ModelError } from '../errors.ts'
import type { EvalQuestion } from './questions.ts'

/** How one question went. Without an answer where the run gave up or failed. */
export interface Outcome {
  id: string
  question: string
  answer?: string
  /** Why the run was ended before the model ended it by itself. */
  stopped?: StopReason
  /** The sentence of the failure that ended it; such a question is asked again when the evaluation is resumed. */
  error?: string
  steps: number
  ms: number
  inputTokens: number
  outputTokens: number
  /** True where the endpoint sent no usage for some call. */
  estimated: boolean
  /** Dollars; left out unless the price of every call is known. */
  costUsd?: number
}

/** Asks the agent one question. A failure is an outcome too. @throws the signal's reason when it is aborted. */
export async function askAgent(asked: EvalQuestion, agent: AgentDeps, signal: AbortSignal): Promise<Outcome> {
  const seen: AgentEvent[] = []
  const from = agent.now().getTime()
  let error: string | undefined
  try {
    for await (const event of runAgent({ question: asked.question, signal }, agent)) seen.push(event)
  } catch (failure) {
    if (signal.aborted) throw failure
    error = failure instanceof ModelError ? `${failure.hint} (${failure.message})` : messageOf(failure)
  }
  const { id, question } = asked
  const ms = agent.now().getTime() - from
  return {
    id,
    question,
    ...endOf(seen),
    ...(error === undefined ? {} : { error }),
    ...stepsOf(seen),
    ms,
    ...spent(seen),
  }
}

function endOf(events: AgentEvent[]): Pick<Outcome, 'answer' | 'stopped'> {
  const last = events.findLast((event) => event.type === 'answer' || event.type === 'gave_up')
  if (last?.type === 'gave_up') return { stopped: last.reason }
  if (last?.type !== 'answer') return {}
  return { answer: last.text, ...(last.stopped ? { stopped: last.stopped } : {}) }
}

function stepsOf(events: AgentEvent[]): Pick<Outcome, 'steps'> {
  return { steps: events.filter((event) => event.type === 'thought').length }
}

function spent(events: AgentEvent[]): Pick<Outcome, 'inputTokens' | 'outputTokens' | 'estimated' | 'costUsd'> {
  const used: Usage[] = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))
  const { inputTokens, outputTokens, costUsd } = totalOf(used)
  const priced = used.length > 0 && used.every((usage) => usage.costUsd !== undefined)
  return {
    inputTokens,
    outputTokens,
    estimated: used.some((usage) => usage.estimated),
    ...(priced ? { costUsd } : {}),
  }
}
