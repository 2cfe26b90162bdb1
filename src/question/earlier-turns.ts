import { originalId, type Question, type Run } from '../stores/runs/types.ts'
import type { ThreadKey } from '../base/place.ts'
import type { History, Turn } from '../stores/history/types.ts'

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
