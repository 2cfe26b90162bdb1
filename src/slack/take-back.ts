import type { Log } from '../log.ts'
import type { Queue } from '../queue/types.ts'
import type { Withdrawn } from '../run/control.ts'
import type { Question } from '../run/types.ts'
import type { Outbox } from './outbox.ts'

export interface TakeBackOptions {
  question: Question
  outbox: Outbox
  queue: Queue
  log: Log
  release(options: { refund: boolean }): Promise<void>
}

/**
 * The question's message was deleted or edited: nothing of the run stays, and an edited question is asked again. If this process
 * dies meanwhile, the one that takes the run up hears of it again.
 */
export async function takeBack({ again }: Withdrawn, work: TakeBackOptions): Promise<void> {
  const { question, outbox, release, queue, log } = work
  await outbox.removePosts()
  await release({ refund: again !== undefined })
  if (again) await queue.accept(again)
  log.info({ question: question.id, again: again?.id }, 'question taken back by its asker')
}
