/** What a run without an answer has changed: for its asker, and for the thread's later questions. */
import { isForAsker } from '../../agent/run-progress.ts'
import { changesOf } from '../../question/changes-before.ts'
import { changeLines } from '../../question/change-lines.ts'
import { hasLeftThread } from '../../stores/runs/audience.ts'
import { conversationOf, type DoneCall } from '../../stores/runs/types.ts'
import { currentPlace } from '../../stores/threads/moved-channel.ts'
import type { QuestionWork } from '../question-work.ts'
import { granterIn } from './answer-deps.ts'

/** Returns the run's writes, and those of earlier tries, that took effect or may have. */
export function changesIn(work: QuestionWork): Promise<DoneCall[]> {
  const { question, run, settings } = work
  return changesOf({ ...run.saved, question }, settings.tools, granterIn(work))
}

/** Returns a line for each change, with names. Undefined if there is none. */
export async function changedLines(
  changes: readonly DoneCall[],
  { run, mentions }: QuestionWork,
): Promise<string[] | undefined> {
  if (changes.length === 0) return undefined
  await mentions.lookUpSaved(run.saved, changes.map(({ by }) => (by === undefined ? '' : `<@${by}>`)).join(' '))
  return changeLines(changes, (user) => mentions.nameOf(user))
}

const UNFINISHED = 'I could not finish this. Before that, I had already done the following. It must not be done twice.'

/** Adds a turn to the thread's history, so that a question after the failed one knows what was done. */
export async function rememberChanges(
  lines: readonly string[],
  { question, run, services }: QuestionWork,
): Promise<void> {
  if (hasLeftThread(question, run.saved)) return
  const { id, ts, original, text, user, userTeam, at } = question
  const { standalone = text, said } = run.saved
  const answer = [UNFINISHED, ...lines].join('\n')
  const isPrivate = run.saved.steps.some(isForAsker)
  const asked = { id, ts, original, question: text, standalone, answer, user, userTeam, at }
  const turn = isPrivate ? { ...asked, forAsker: true as const } : asked
  const thread = await currentPlace(conversationOf(question), services)
  await services.history.append(thread, said?.text ? { ...turn, said: said.text, saidBy: said.by } : turn)
}
