import type { Source } from '../agent/contracts/evidence.ts'
import { conversationOf, originalId, type Question, type Run, type SavedRun } from '../stores/runs/types.ts'
import type { ThreadKey } from '../base/place.ts'
import type { History, ThreadContext, Turn } from '../stores/history/types.ts'

/** `inThread`: the turns of the thread itself, up to which its messages were read. */
interface LoadedTurns {
  all: Turn[]
  inThread: Turn[]
}

/**
 * Loads the turns of a question's conversation, oldest first. A private question of a message also knows those of its
 * thread, which its asker can read.
 */
export async function loadTurns(history: History, question: Question): Promise<LoadedTurns> {
  const { conversation, ...inPlace } = question
  const isApart = question.surface === 'private' && conversation !== undefined
  const loading = history.load(conversationOf(question))
  const [own, inThread] = await Promise.all([loading, isApart ? history.load(conversationOf(inPlace)) : loading])
  if (!isApart) return { all: own, inThread: own }
  return { all: [...inThread, ...own].sort((one, other) => one.at - other.at), inThread }
}

/**
 * Returns the turns that the question can refer to, without its own. If a question was edited or repeated, only its
 * newest turn counts. Turns asked after the question are left out: while its run was suspended, or before it was
 * repeated.
 */
export function earlierTurns(turns: Turn[], question: Question, { saved }: Run): Turn[] {
  const newest = new Map(turns.map((turn) => [originalId(turn), turn]))
  const firstAt = new Map(turns.toReversed().map((turn) => [originalId(turn), turn.at]))
  const last = question.firstAt ?? (saved.steps.length === 0 ? Infinity : question.at)
  return turns.filter((turn) => {
    const id = originalId(turn)
    return id !== originalId(question) && newest.get(id)?.id === turn.id && (firstAt.get(id) ?? turn.at) <= last
  })
}

/** Returns the history without the turns before the last gap of more than `gapMs`, seen at the time `at`. */
export function withoutGap(history: History, at: number, gapMs: number): History {
  const load = async (thread: ThreadKey) => {
    const turns = await history.load(thread)
    const times = [...turns.map((turn) => turn.at), at]
    return turns.slice(turns.findLastIndex((turn, i) => (times[i + 1] ?? at) - turn.at > gapMs) + 1)
  }
  return { ...history, load }
}

/** The most sources of an answer that its thread can come back to. */
const MAX_SOURCES = 20

/** Returns the turn for the history. Additions to the question are part of it. */
export function turnOf(
  question: Question,
  { steps }: SavedRun,
  standalone: string,
  answer: { text: string; sources?: Source[] },
  context: ThreadContext,
): Turn {
  const { id, ts, original, text, user, userTeam, at } = question
  const added = steps.flatMap((step) => (step.kind === 'message' ? [step.text] : []))
  const withAdditions = (asked: string) => [asked, ...added].join('\nAdded: ')
  const { hasFiles, tables } = context
  const given = new Set(context.sources?.map(({ url }) => url))
  const sources = (answer.sources ?? []).filter(({ url }) => !given.has(url)).slice(0, MAX_SOURCES)
  const more = { hasFiles, tables, ...(sources.length > 0 && { sources }) }
  const asked = { question: withAdditions(text), standalone: withAdditions(standalone) }
  const turn = { id, ts, original, ...asked, answer: answer.text, user, at, ...more, ...(userTeam && { userTeam }) }
  return context.text ? { ...turn, said: context.text, saidBy: context.by } : turn
}
