import type { FileStore } from '../files/file-store.ts'
import type { Log } from '../base/log.ts'
import type { Queue } from '../queue/types.ts'
import type { RunControl, Signal, Withdrawn } from '../stores/runs/control.ts'
import { conversationOf, type Question, type Run } from '../stores/runs/types.ts'
import { forgetFinds } from '../question/forget-finds.ts'
import type { Outbox } from './client/outbox.ts'

export interface TakeBackOptions {
  question: Question
  run: Run
  outbox: Outbox
  queue: Queue
  files(): Promise<FileStore>
  answer: { control?: RunControl | undefined }
  log: Log
  release(options: { refund: boolean }): Promise<void>
}

/**
 * The question's message was deleted or edited: nothing of the run stays, and an edited question is asked again, as it reads by
 * then. If this process dies meanwhile, the one that takes the run up hears of it again.
 */
export async function takeBack(withdrawn: Withdrawn, work: TakeBackOptions): Promise<void> {
  const { question, outbox, run, release, queue, log } = work
  await outbox.removePosts()
  await forgetFinds(run)
  const { again } = (await lastWithdrawal(work))?.withdrawn ?? withdrawn
  await release({ refund: again !== undefined })
  if (again) await queue.accept(again)
  // Files are kept before the run is told of them: a run that was taken back early may have left some without knowing.
  else await (await work.files()).remove(conversationOf(question), question.id)
  if (again) await passOn(again, work)
  log.info({ question: question.id, again: again?.id }, 'question taken back by its asker')
}

/** What this run was told while the question was asked again was meant for the new run. */
async function passOn(again: Question, work: TakeBackOptions): Promise<void> {
  const last = await lastWithdrawal(work)
  if (!last || last.withdrawn?.again?.id === again.id) return
  await work.answer.control?.send({ thread: conversationOf(again), id: again.id }, last)
}

type Withdrawal = Extract<Signal, { type: 'stop' }>

/** The newest of all that the run was told so far. */
async function lastWithdrawal({ question, answer }: TakeBackOptions): Promise<Withdrawal | undefined> {
  let last: Withdrawal | undefined
  const run = { thread: conversationOf(question), id: question.id }
  const end = await answer.control?.listen(run, (signal) => {
    if (signal.type === 'stop' && signal.withdrawn) last = signal
  })
  end?.()
  return last
}
