import { runAgent, type AgentDeps } from '../../agent/agent.ts'
import { applyEvent, NO_PROGRESS, stepCount, totalOf } from '../../agent/run-progress.ts'
import type { AgentEvent, StopReason, Usage } from '../../agent/types.ts'
import { messageOf, ModelError } from '../../base/errors.ts'
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
  let progress = NO_PROGRESS
  let end: Pick<Outcome, 'answer' | 'stopped'> = {}
  const from = agent.now().getTime()
  let error: string | undefined
  try {
    for await (const event of runAgent({ question: asked.question, signal }, agent)) {
      progress = applyEvent(progress, event)
      end = { ...end, ...endOf(event) }
    }
  } catch (failure) {
    if (signal.aborted) throw failure
    error = failure instanceof ModelError ? `${failure.hint} (${failure.message})` : messageOf(failure)
  }
  const { id, question } = asked
  const ms = agent.now().getTime() - from
  return {
    id,
    question,
    ...end,
    ...(error === undefined ? {} : { error }),
    steps: stepCount(progress.steps),
    ms,
    ...spent(progress.usage),
  }
}

function endOf(event: AgentEvent): Pick<Outcome, 'answer' | 'stopped'> {
  if (event.type === 'gave_up') return { stopped: event.reason }
  if (event.type !== 'answer') return {}
  return { answer: event.text, ...(event.stopped ? { stopped: event.stopped } : {}) }
}

function spent(used: readonly Usage[]): Pick<Outcome, 'inputTokens' | 'outputTokens' | 'estimated' | 'costUsd'> {
  const { inputTokens, outputTokens, costUsd } = totalOf(used)
  const priced = used.length > 0 && used.every((usage) => usage.costUsd !== undefined)
  return {
    inputTokens,
    outputTokens,
    estimated: used.some((usage) => usage.estimated),
    ...(priced ? { costUsd } : {}),
  }
}
