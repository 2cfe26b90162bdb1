import type { Signal, Withdrawn } from '../stores/runs/control.ts'
import { conversationOf, type Question } from '../stores/runs/types.ts'
import { forgetFinds } from './archive-run.ts'
import { bookEnd } from './book-use.ts'
import type { AnsweringWork } from './run-question.ts'

/**
 * Removes what a run has left, because its question's message was deleted or edited, and asks an edited question again as it reads by
 * then. If this process dies meanwhile, the one that takes the run up hears of it again. `removePosts` deletes what the run has
 * posted.
 */
export async function takeBack(
  withdrawn: Withdrawn,
  work: AnsweringWork,
  removePosts: () => Promise<void>,
): Promise<void> {
  const { question, run, services } = work
  await removePosts()
  await forgetFinds(run)
  const { again } = (await lastWithdrawal(work))?.withdrawn ?? withdrawn
  await work.release({ refund: again !== undefined })
  // A question that is asked again counts once, when that has ended.
  if (!again) await bookEnd(work, 'stopped')
  if (again) await services.queue.accept(again)
  // Files are kept before the run is told of them: a run that was taken back early may have left some without knowing.
  else await (await services.files()).remove(conversationOf(question), question.id)
  if (again) await passOn(again, work)
  services.log.info({ question: question.id, again: again?.id }, 'question taken back by its asker')
}

/** Sends the new run what this run was told while the question was asked again. */
async function passOn(again: Question, work: AnsweringWork): Promise<void> {
  const last = await lastWithdrawal(work)
  if (!last || last.withdrawn?.again?.id === again.id) return
  await work.services.control.send({ thread: conversationOf(again), id: again.id }, last)
}

type Withdrawal = Extract<Signal, { type: 'stop' }>

/** Returns the newest withdrawal that the run was told so far. */
async function lastWithdrawal({ question, services }: AnsweringWork): Promise<Withdrawal | undefined> {
  let last: Withdrawal | undefined
  const run = { thread: conversationOf(question), id: question.id }
  const end = await services.control.listen(run, (signal) => {
    if (signal.type === 'stop' && signal.withdrawn) last = signal
  })
  end()
  return last
}
