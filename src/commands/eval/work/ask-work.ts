import { z } from 'zod'
import type { AgentDeps } from '../../../agent/agent.ts'
import { hasRun } from '../../../agent/partial-answer.ts'
import { totalOf } from '../../../agent/run-progress.ts'
import { messageOf } from '../../../base/errors.ts'
import { doubtfulFigures } from '../../../question/judge-answer.ts'
import { runToEnd } from '../ask-agent.ts'
import type { WorkQuestion } from './work-questions.ts'

/** What became of a question of the work set. */
export const workOutcome = z.object({
  id: z.string(),
  question: z.string(),
  answer: z.string(),
  /** The tools that were called, in order. */
  called: z.array(z.string()),
  isRight: z.boolean(),
  /** Turns that could not be read. */
  broken: z.number(),
  /** Answers that the model was asked again for. */
  askedAgain: z.number(),
  isLoop: z.boolean(),
  /** Whether the answer holds words of the loop. */
  isLeak: z.boolean(),
  ms: z.number(),
  tokens: z.object({ in: z.number(), out: z.number() }),
  error: z.string().optional(),
})
export type WorkOutcome = z.infer<typeof workOutcome>

/** Asks one question. A failure is an outcome too. @throws the signal's reason when it is aborted */
export async function askWork(asked: WorkQuestion, agent: AgentDeps, signal: AbortSignal): Promise<WorkOutcome> {
  const question = { text: asked.question, at: agent.now().getTime() }
  const doubtful: AgentDeps['doubtful'] = (text, steps) =>
    doubtfulFigures(text, { ...NOTHING_ELSE, question, steps, agent })
  const { progress, end, failure, ms } = await runToEnd(asked.question, { ...agent, doubtful }, signal)
  const answer = end?.text ?? ''
  const steps = progress.steps.filter((step) => step.kind === 'tool')
  const called = steps.map(({ action }) => action.tool)
  const ran = new Set(steps.filter(hasRun).map(({ action }) => action.tool))
  const unreadable = progress.steps.filter((step) => step.kind === 'unreadable')
  const { inputTokens, outputTokens } = totalOf(progress.usage)
  return {
    id: asked.id,
    question: asked.question,
    answer,
    called,
    isRight: end?.type === 'answer' && holdsAnswer(asked, answer) && (asked.calls ?? []).every((name) => ran.has(name)),
    broken: unreadable.filter(({ isAnswer }) => !isAnswer).length,
    askedAgain: unreadable.filter(({ isAnswer }) => isAnswer).length,
    isLoop: (end?.type === 'gave_up' ? end.reason : end?.stopped) === 'loop',
    isLeak: LEAK.test(answer),
    ms,
    tokens: { in: inputTokens, out: outputTokens },
    error: failure && messageOf(failure),
  }
}

/** Nothing but the question and the tools is read. */
const NOTHING_ELSE = { turns: [], said: '', filesText: '', remembered: '', saved: {} }

/** Words and marks of the loop, which no answer may hold. */
const LEAK =
  /<\/?[a-z\d]{6}>|<\/?data>|could not be read|already done exactly this|failed: \w*Error|^(?:Thought|Action|Observation):|"action"\s*:/im

/** Returns whether an answer holds what it must and nothing that it must not. */
export function holdsAnswer(
  { contains, excludes = [] }: Pick<WorkQuestion, 'contains' | 'excludes'>,
  answer: string,
): boolean {
  const text = plain(answer)
  const holds = (one: string) => one.split('|').some((form) => text.includes(plain(form)))
  return contains.every(holds) && !excludes.some(holds)
}

/** Lower case, with straight apostrophes and without separators of thousands. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/(?<=\d)[, \u00a0\u202f](?=\d{3}(?!\d))/g, '')
}
