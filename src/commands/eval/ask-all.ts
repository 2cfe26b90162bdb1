import type { AgentDeps } from '../../agent/agent.ts'
import type { AnsweredFile } from './answered.ts'
import { askAgent, type EvalOutcome } from './ask-agent.ts'
import type { Progress } from './progress.ts'
import type { EvalQuestion } from './parse-set.ts'
import { isRight } from './score-answer.ts'

interface RunOptions {
  agent: AgentDeps
  answered: AnsweredFile<EvalOutcome>
  progress: Progress
  /** How many questions run at once. */
  concurrency: number
  signal: AbortSignal
}

/**
 * Asks the questions that are not answered yet. Resolves to the outcomes in the questions' order.
 * @throws the signal's reason when it is aborted; the answers so far are kept
 */
export async function askAll(questions: EvalQuestion[], options: RunOptions): Promise<EvalOutcome[]> {
  const outcomes = questions.map((question) => options.answered.of(question))
  for (const [i, outcome] of outcomes.entries()) if (outcome) options.progress.skip(isRight(questions[i]!, outcome))
  const waiting = questions.entries()
  const work = async () => {
    for (const [i, question] of waiting) outcomes[i] ??= await askOne(question, options)
  }
  await Promise.all(Array.from({ length: options.concurrency }, work))
  options.progress.end()
  return outcomes.filter((outcome) => outcome !== undefined)
}

async function askOne(question: EvalQuestion, { agent, answered, progress, signal }: RunOptions): Promise<EvalOutcome> {
  signal.throwIfAborted()
  const outcome = await askAgent(question, agent, signal)
  answered.keep(outcome)
  progress.add({ isRight: isRight(question, outcome), hasFailed: outcome.error !== undefined })
  return outcome
}
