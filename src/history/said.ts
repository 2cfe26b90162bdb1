/**
 * What people wrote in a thread between the questions, as text: oldest first, `@Name: words`, a message a line. Further lines
 * of a message are indented, so that no message passes for two.
 */
import type { Turn } from './types.ts'

/** As many characters of it go into one prompt, those of all turns together. */
const PROMPT_CHARS = 8_000

/** The newest messages within these bounds, as text that says how many are left out. */
export function newestMessages(messages: readonly string[], most: { count: number; chars: number }): string {
  let left = most.chars - LEFT_OUT_CHARS
  let first = messages.length
  while (first > Math.max(0, messages.length - most.count)) {
    left -= (messages[first - 1]?.length ?? 0) + 1
    if (left < 0) break
    first -= 1
  }
  const kept = messages.slice(first)
  return (first > 0 ? [leftOut(first), ...kept] : kept).join('\n')
}

/** Room for the line that says how many messages are left out. */
const LEFT_OUT_CHARS = 60

function leftOut(count: number): string {
  return count === 1 ? '(1 earlier message is left out)' : `(${count} earlier messages are left out)`
}

/** The turns and what was said since, with the newest of all that people wrote, as much as a prompt may carry. */
export function keepNewestSaid(turns: readonly Turn[], said: string): { turns: Turn[]; said: string } {
  let left = PROMPT_CHARS
  const keep = (text: string): string => {
    const kept = text.length <= left ? text : newestMessages(text.split(/\n(?! )/), { count: Infinity, chars: left })
    left = Math.max(0, left - kept.length)
    return kept
  }
  const newest = keep(said)
  const kept = turns.toReversed().map((turn) => (turn.said ? { ...turn, said: keep(turn.said) } : turn))
  return { turns: kept.reverse(), said: newest }
}

/** All that people wrote, oldest first. */
export function allSaid({ turns, said }: { turns: readonly Turn[]; said: string }): string {
  return [...turns.map((turn) => turn.said ?? ''), said].filter((text) => text !== '').join('\n')
}
