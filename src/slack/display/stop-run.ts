import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { RunControl } from '../../stores/runs/control.ts'
import { conversationOf, type Question } from '../../stores/runs/types.ts'

/** Stops the run whose stream a person has stopped on the screen. */
export function stopRun(question: Question, { control, log }: { control: RunControl; log: Log }): void {
  const run = { thread: conversationOf(question), id: question.id }
  control.send(run, { type: 'stop', by: question.user }).catch((error: unknown) => {
    log.warn({ question: question.id, error: messageOf(error) }, 'a run whose stream was stopped could not be stopped')
  })
}
