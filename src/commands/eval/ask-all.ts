import type { AgentDeps } from '../../agent/agent.ts'
import type { AnsweredFile } from './answered.ts'
import { exactMatch, isDeclined } from './normalise.ts'
import { askAgent, type Outcome } from './outcome.ts'
import type { Progress } from './progress.ts'
import type { EvalQuestion } from './questions.ts'

export interface RunOptions {
  agent: AgentDeps
  answered: AnsweredFile
  progress: Progress
  /** Questions at work at once. */
  concurrency: number
  signal: AbortSignal
}

/**
 * Asks what has not been answered yet and resolves to the outcomes in the questions' order.
 * @throws the signal's reason when it is aborted; what was answered by then is kept.
 */
export async function askAll(questions: EvalQuestion[], options: RunOptions): Promise<Outcome[]> {
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

async function askOne(question: EvalQuestion, { agent, answered, progress, signal }: RunOptions): Promise<Outcome> {
  signal.throwIfAborted()
  const outcome = await askAgent(question, agent, signal)
  answered.keep(outcome)
  progress.add({ isRight: isRight(question, outcome), hasFailed: outcome.error !== undefined })
  return outcome
}

/**
 * Right is an exact match; where no right answer is known, any but the ones that people rejected, and but
 * “I do not know”. No answer is never right, whatever the gold answer.
 */
export function isRight({ gold, rejected = [] }: Known, { answer }: Pick<Outcome, 'answer'>): boolean {
  if (answer === undefined) return false
  return gold.length > 0 ? exactMatch(answer, gold) === 1 : exactMatch(answer, rejected) === 0 && !isDeclined(answer)
}

/** What is known of the answers to a question. */
interface Known {
  gold: string[]
  rejected?: string[] | undefined
}
