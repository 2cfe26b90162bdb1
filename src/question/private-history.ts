import type { ThreadKey } from '../base/place.ts'
import type { History } from '../stores/history/types.ts'

/** Only what was said since a gap of more than `gapMs`, at the time `at`. */
export function withoutGap(history: History, at: number, gapMs: number): History {
  const load = async (thread: ThreadKey) => {
    const turns = await history.load(thread)
    const times = [...turns.map((turn) => turn.at), at]
    return turns.slice(turns.findLastIndex((turn, i) => (times[i + 1] ?? at) - turn.at > gapMs) + 1)
  }
  return { ...history, load }
}
