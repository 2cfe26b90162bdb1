/** A question that its asker deletes or edits: its runs, and its stored data. */
import { sleep } from '../base/backoff.ts'
import type { Withdrawal, Signal, Withdrawn } from '../stores/runs/run-control.ts'
import { hasLeftThread } from '../stores/runs/audience.ts'
import { conversationOf, originalId, type DoneCall, type Question } from '../stores/runs/types.ts'
import type { AnswerServices } from './services.ts'
import { forgetFinds } from './archive-run.ts'
import { recordEnd } from './book-use.ts'
import { withDoneBefore } from './changes-before.ts'
import type { AnsweringWork } from './run-question.ts'

/** What identifies a message's question since the edit at `editTs`. The unedited message's question keeps its id. */
export function editedQuestion({ id, ts }: Pick<Question, 'id' | 'ts'>, editTs: string) {
  return { id: `${id}:${editTs}`, original: { id, ts } }
}

/** The questions that a message may have asked: the original and the edit before this change. */
export interface AskedMessage {
  question: Question
  thread: string
  ids: string[]
}

/**
 * Adds the ids of all unfinished runs of the question: those of other edits, and those of "Ask again" if they count.
 */
export async function withRuns(
  asked: AskedMessage,
  { queue }: AnswerServices,
  counts: (question: Question) => boolean = () => true,
): Promise<AskedMessage> {
  const { running, waiting, suspended = [] } = await queue.inThread(asked.thread)
  const all = [...(running ? [running] : []), ...waiting, ...suspended]
  const others = all.filter((one) => originalId(one) === asked.question.id && counts(one))
  return { ...asked, ids: [...new Set([...asked.ids, ...others.map(({ id }) => id)])] }
}

/**
 * Sends a stop to every run of the question that is not over. Waiting runs count too: they may have posts from before a
 * handover.
 * @returns whether there was one; its worker does the rest
 */
export async function withdrawRuns(
  { thread, ids }: AskedMessage,
  { by, withdrawal: withdrawn }: { by: string; withdrawal?: Withdrawal },
  { control, log }: AnswerServices,
): Promise<boolean> {
  let isSent = false
  for (const id of ids) {
    const sent = await control.send({ thread, id }, { type: 'stop', by, withdrawn })
    isSent ||= sent === 'sent'
  }
  if (isSent) log.info({ question: ids.at(-1), again: withdrawn?.again?.id }, 'a question under way is taken back')
  return isSent
}

/** Returns the ids under which the question was answered, also after edits. */
export async function knownIds(
  { question, thread, ids }: AskedMessage,
  { history, archive }: AnswerServices,
): Promise<string[]> {
  const turns = await history.load(thread)
  const answered = turns.filter((turn) => originalId(turn) === question.id).map(({ id }) => id)
  const records = await Promise.all(ids.map((id) => archive.load(id)))
  return [...new Set([...answered, ...records.flatMap((record) => record?.question.id ?? [])])]
}

/** How long to wait for the end of a run that has just answered, and the interval between two checks. Milliseconds. */
const ENDING_MS = 120_000
const CHECK_MS = 500

/**
 * Waits until no run of the question is at work. Its answer is saved, so the run takes no signal, but it may not be
 * posted yet.
 */
export async function untilEnded({ thread, ids }: AskedMessage, { queue, now }: AnswerServices): Promise<void> {
  for (const until = now().getTime() + ENDING_MS; now().getTime() < until; await sleep(CHECK_MS)) {
    const { running } = await queue.inThread(thread)
    if (!running || !ids.includes(running.id)) return
  }
}

/** Deletes the turns, and the files that were read for them. */
export async function forgetTurns(
  { thread, ids: asked }: AskedMessage,
  ids: string[],
  services: AnswerServices,
): Promise<void> {
  for (const id of ids) await services.history.remove(thread, id)
  const files = await services.files()
  for (const id of new Set([...asked, ...ids])) await files.remove(thread, id)
}

/**
 * Removes the traces of a run whose message was deleted or edited, and asks an edited question again with its newest
 * text. If this process dies in the meantime, the process that takes the run over gets the signal again. `changes`: the
 * run's writes, which the next one must not repeat; `removePosts` deletes the run's posts.
 * @returns whether it is asked again
 */
export async function takeBack(
  withdrawn: Withdrawn,
  work: AnsweringWork,
  changes: readonly DoneCall[],
  removePosts: () => Promise<void>,
): Promise<boolean> {
  const { question, run, services } = work
  await removePosts()
  await forgetFinds(run)
  const last = (await lastWithdrawal(work))?.withdrawn ?? withdrawn
  const again = last.again && withDoneBefore(last.again, changes, hasLeftThread(question, run.saved))
  // A version that has asked the model counts: otherwise edits would get around the limits.
  await work.release({ refund: again !== undefined && run.saved.usage.length === 0 })
  // A question that is asked again is counted once, when that one has ended.
  if (!again) await recordEnd(work, 'stopped')
  if (again) await services.queue.accept(again)
  // Files are stored before the run gets their ids, so a run that was withdrawn early may have files that it does not
  // know.
  else await (await services.files()).remove(conversationOf(question), question.id)
  if (again) await passOn(again, work)
  services.log.info({ question: question.id, again: again?.id }, 'question taken back by its asker')
  return again !== undefined
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
