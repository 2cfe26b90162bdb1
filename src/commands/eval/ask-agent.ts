import { z } from 'zod'
import { runAgent, type AgentDeps } from '../../agent/agent.ts'
import { applyEvent, NO_PROGRESS, stepCount, totalOf } from '../../agent/run-progress.ts'
import type { Usage } from '../../agent/contracts/model.ts'
import { stopReason, type AgentEvent, type Step } from '../../agent/contracts/run-events.ts'
import { messageOf, ModelError } from '../../base/errors.ts'
import { judgeFigures, unsupported } from '../../question/check-figures/judge-figures.ts'
import { readTexts } from '../../question/check-figures/read-texts.ts'
import type { EvalQuestion } from './parse-set.ts'

/** The outcome of one question, as it is kept. Without an answer if the run gave up or failed. */
export const keptOutcome = z.object({
  id: z.string(),
  question: z.string(),
  answer: z.string().optional(),
  /**
   * The number of figures in the answer, and of those without a source in what was read. Absent if nothing was read.
   */
  figures: z.object({ total: z.number(), unsupported: z.number() }).optional(),
  /** The error that ended the run, as a sentence. Such a question is asked again when the evaluation is resumed. */
  error: z.string().optional(),
  /** The budget that ended the run before the model did. */
  stopped: stopReason.optional(),
  steps: z.number(),
  ms: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** True if the endpoint sent no usage for some call. */
  estimated: z.boolean(),
  /** Dollars; absent unless the price of every call is known. */
  costUsd: z.number().optional(),
})

export type EvalOutcome = z.infer<typeof keptOutcome>

/** Asks the agent one question. A failure is also an outcome. @throws the signal's reason when it is aborted */
export async function askAgent(asked: EvalQuestion, agent: AgentDeps, signal: AbortSignal): Promise<EvalOutcome> {
  const { id, question } = asked
  const { progress, end, ms, ...run } = await runToEnd(question, agent, signal)
  let { failure } = run
  let figures: EvalOutcome['figures']
  try {
    if (end?.type === 'answer') figures = figuresOf(end, question, agent, progress.steps)
  } catch (error) {
    failure ??= new Error(messageOf(error))
  }
  return {
    id,
    question,
    ...(end?.type === 'answer' ? { answer: end.text, stopped: end.stopped, figures } : { stopped: end?.reason }),
    error: failure instanceof ModelError ? `${failure.hint} (${failure.message})` : failure && messageOf(failure),
    steps: stepCount(progress.steps),
    ms,
    ...spent(progress.usage),
  }
}

/** Runs the agent once. @throws the signal's reason when it is aborted; every other error is returned */
export async function runToEnd(question: string, agent: AgentDeps, signal: AbortSignal) {
  let progress = NO_PROGRESS
  let end: Extract<AgentEvent, { type: 'answer' | 'gave_up' }> | undefined
  let failure: Error | undefined
  const from = agent.now().getTime()
  try {
    for await (const event of runAgent({ question, signal }, agent)) {
      progress = applyEvent(progress, event)
      if (event.type === 'answer' || event.type === 'gave_up') end = event
    }
  } catch (error) {
    if (signal.aborted) throw error
    failure = error instanceof Error ? error : new Error(messageOf(error))
  }
  return { progress, end, failure, ms: agent.now().getTime() - from }
}

function figuresOf(
  { text, sources }: Extract<AgentEvent, { type: 'answer' }>,
  question: string,
  agent: AgentDeps,
  steps: readonly Step[],
): EvalOutcome['figures'] {
  const read = readTexts({ question, steps, sources })
  const judged = read && judgeFigures(text, { question, read, today: agent.now() })
  return judged && { total: judged.length, unsupported: unsupported(judged) }
}

function spent(used: readonly Usage[]): Pick<EvalOutcome, 'inputTokens' | 'outputTokens' | 'estimated' | 'costUsd'> {
  const { inputTokens, outputTokens, costUsd } = totalOf(used)
  const priced = used.length > 0 && used.every((usage) => usage.costUsd !== undefined)
  return {
    inputTokens,
    outputTokens,
    estimated: used.some((usage) => usage.estimated),
    costUsd: priced ? costUsd : undefined,
  }
}
