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
 * Takes back a question whose message was deleted or edited. Removes everything of the run; an edited question is asked
 * again with its newest text. If this process dies meanwhile, the next process hears of it again.
 */
export async function takeBack(withdrawn: Withdrawn, work: TakeBackOptions): Promise<void> {
  const { question, outbox, run, release, queue, log } = work
  await outbox.removePosts()
  await forgetFinds(run)
  const { again } = (await lastWithdrawal(work))?.withdrawn ?? withdrawn
  await release({ refund: again !== undefined })
  if (again) await queue.accept(again)
  // Files are stored before the run knows of them, so a run that was taken back early may have left some.
  else await (await work.files()).remove(conversationOf(question), question.id)
  if (again) await passOn(again, work)
  log.info({ question: question.id, again: again?.id }, 'question taken back by its asker')
}

/** Passes on a signal that arrived while the question was asked again: it was meant for the new run. */
async function passOn(again: Question, work: TakeBackOptions): Promise<void> {
  const last = await lastWithdrawal(work)
  if (!last || last.withdrawn?.again?.id === again.id) return
  await work.answer.control?.send({ thread: conversationOf(again), id: again.id }, last)
}

type Withdrawal = Extract<Signal, { type: 'stop' }>

/** Returns the newest withdrawal that the run was sent. */
async function lastWithdrawal({ question, answer }: TakeBackOptions): Promise<Withdrawal | undefined> {
  let last: Withdrawal | undefined
  const run = { thread: conversationOf(question), id: question.id }
  const end = await answer.control?.listen(run, (signal) => {
    if (signal.type === 'stop' && signal.withdrawn) last = signal
  })
  end?.()
  return last
}
