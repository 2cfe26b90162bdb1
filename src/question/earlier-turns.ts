import { askedMessage, type Question, type Run } from '../stores/runs/types.ts'
import type { ThreadKey } from '../base/place.ts'
import type { History, Turn } from '../stores/history/types.ts'

/**
 * Returns the turns that the question can refer to, without its own. If a question was edited or repeated, only its
 * newest turn counts. Turns asked after the question are left out: while its run was suspended, or before it was
 * repeated.
 */
export function earlierTurns(turns: Turn[], question: Question, { saved }: Run): Turn[] {
  const newest = new Map(turns.map((turn) => [askedMessage(turn.id), turn]))
  const firstAt = new Map(turns.toReversed().map((turn) => [askedMessage(turn.id), turn.at]))
  const last = question.firstAt ?? (saved.steps.length === 0 ? Infinity : question.at)
  return turns.filter(
    ({ id, at }) =>
      askedMessage(id) !== askedMessage(question.id) &&
      newest.get(askedMessage(id))?.id === id &&
      (firstAt.get(askedMessage(id)) ?? at) <= last,
  )
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
