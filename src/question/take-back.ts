import type { Signal, Withdrawn } from '../stores/runs/control.ts'
import { conversationOf, type Question } from '../stores/runs/types.ts'
import { forgetFinds } from './archive-run.ts'
import { bookEnd } from './book-use.ts'
import type { AnsweringWork } from './run-question.ts'

/**
 * Removes the traces of a run whose message was deleted or edited, and asks an edited question again with its newest
 * text. If this process dies in the meantime, the process that takes the run over gets the signal again. `removePosts`
 * deletes the run's posts.
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
  // A question that is asked again is counted once, when that one has ended.
  if (!again) await bookEnd(work, 'stopped')
  if (again) await services.queue.accept(again)
  // Files are stored before the run gets their ids, so a run that was withdrawn early may have files that it does not
  // know.
  else await (await services.files()).remove(conversationOf(question), question.id)
  if (again) await passOn(again, work)
  services.log.info({ question: question.id, again: again?.id }, 'question taken back by its asker')
}

/** Passes the signals that came in the meantime on to the new run. */
async function passOn(again: Question, work: AnsweringWork): Promise<void> {
  const last = await lastWithdrawal(work)
  if (!last || last.withdrawn?.again?.id === again.id) return
  await work.services.control.send({ thread: conversationOf(again), id: again.id }, last)
}

type StopSignal = Extract<Signal, { type: 'stop' }>

/** Returns the newest withdrawal that the run has received. */
async function lastWithdrawal({ question, services }: AnsweringWork): Promise<StopSignal | undefined> {
  let last: StopSignal | undefined
  const run = { thread: conversationOf(question), id: question.id }
  const end = await services.control.listen(run, (signal) => {
    if (signal.type === 'stop' && signal.withdrawn) last = signal
  })
  end()
  return last
}
