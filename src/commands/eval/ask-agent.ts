import { runAgent, type AgentDeps } from '../../agent/agent.ts'
import { applyEvent, NO_PROGRESS, stepCount, totalOf } from '../../agent/run-progress.ts'
import type { Usage } from '../../agent/contracts/model.ts'
import type { AgentEvent, Step, StopReason } from '../../agent/contracts/run-events.ts'
import { messageOf, ModelError } from '../../base/errors.ts'
import { judgeFigures, unsupported } from '../../question/check-figures/judge-figures.ts'
import { readTexts } from '../../question/check-figures/read-texts.ts'
import type { EvalQuestion } from './questions.ts'

/** The outcome of one question. Without an answer if the run gave up or failed. */
export interface EvalOutcome {
  id: string
  question: string
  answer?: string
  /**
   * The number of figures in the answer, and of those without a source in what was read. Absent if nothing was read.
   */
  figures?: { total: number; unsupported: number }
  /** Why the run was stopped before the model ended it. */
  stopped?: StopReason
  /** The error that ended the run, as a sentence. Such a question is asked again when the evaluation is resumed. */
  error?: string
  steps: number
  ms: number
  inputTokens: number
  outputTokens: number
  /** True if the endpoint sent no usage for some call. */
  estimated: boolean
  /** Dollars; omitted unless the price of every call is known. */
  costUsd?: number
}

/** Asks the agent one question. A failure is also an outcome. @throws the signal's reason when it is aborted */
export async function askAgent(asked: EvalQuestion, agent: AgentDeps, signal: AbortSignal): Promise<EvalOutcome> {
  let progress = NO_PROGRESS
  let end: Pick<EvalOutcome, 'answer' | 'stopped' | 'figures'> = {}
  const from = agent.now().getTime()
  let error: string | undefined
  try {
    for await (const event of runAgent({ question: asked.question, signal }, agent)) {
      progress = applyEvent(progress, event)
      end = { ...end, ...endOf(event) }
      if (event.type === 'answer') end = { ...end, ...figuresOf(event, { asked, agent, steps: progress.steps }) }
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
    error,
    steps: stepCount(progress.steps),
    ms,
    ...spent(progress.usage),
  }
}

function endOf(event: AgentEvent): Pick<EvalOutcome, 'answer' | 'stopped'> {
  if (event.type === 'gave_up') return { stopped: event.reason }
  if (event.type !== 'answer') return {}
  return { answer: event.text, ...(event.stopped ? { stopped: event.stopped } : {}) }
}

function figuresOf(
  { text, sources }: Extract<AgentEvent, { type: 'answer' }>,
  { asked: { question }, agent, steps }: { asked: EvalQuestion; agent: AgentDeps; steps: readonly Step[] },
): Pick<EvalOutcome, 'figures'> {
  const read = readTexts({ question, steps, sources })
  const judged = read && judgeFigures(text, { question, read, today: agent.now() })
  return judged ? { figures: { total: judged.length, unsupported: unsupported(judged) } } : {}
}

function spent(used: readonly Usage[]): Pick<EvalOutcome, 'inputTokens' | 'outputTokens' | 'estimated' | 'costUsd'> {
  const { inputTokens, outputTokens, costUsd } = totalOf(used)
  const priced = used.length > 0 && used.every((usage) => usage.costUsd !== undefined)
  return {
    inputTokens,
    outputTokens,
    estimated: used.some((usage) => usage.estimated),
    ...(priced ? { costUsd } : {}),
  }
}
