import type { AgentDeps } from '../../agent/agent.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { RunControl } from '../../stores/runs/control.ts'
import { conversationOf, type Question } from '../../stores/runs/types.ts'

/** Stops the run of a question whose stream a person has stopped. */
export function stopRun(question: Question, { control, log }: { control?: RunControl | undefined; log: Log }): void {
  const run = { thread: conversationOf(question), id: question.id }
  control?.send(run, { type: 'stop', by: question.user }).catch((error: unknown) => {
    log.warn({ question: question.id, error: messageOf(error) }, 'a run whose stream was stopped could not be stopped')
  })
}

/** Imports the answer reader only if an answer is shown while it is written. */
export async function answerReader(): Promise<NonNullable<AgentDeps['readAlong']>> {
  const { AnswerDeltas } = await import('../../agent/parser/answer-deltas.ts')
  return (dialect, tools) => new AnswerDeltas(dialect, tools)
}
