/** The waits of a run for people: their keys, and which are undecided. */
import type { Waiting } from '../../agent/contracts/run-events.ts'
import type { SavedRun } from './types.ts'

/**
 * The key of a step's wait for a person: the step's number, and from its second wait on that wait's number: `2`, `2.2`,
 * `2.3`.
 */
export function waitKey(n: number, waiting?: Pick<Waiting, 'round'>): string {
  const round = waiting?.round ?? 1
  return round === 1 ? String(n) : `${n}.${round}`
}

/** The undecided waits by their keys. With `since` (ms since the epoch), only those that had begun by then. */
export function undecidedSteps(saved: Pick<SavedRun, 'steps' | 'decisions'>, since = Infinity): string[] {
  return undecided(saved).flatMap((wait) => (wait.since <= since ? [wait.key] : []))
}

/** Returns when the first wait ends if each lasts `ms` (ms since the epoch). Undefined if nothing waits. */
export function waitsUntil(saved: SavedRun, ms: number): number | undefined {
  const waits = undecided(saved)
  return waits.length > 0 ? Math.min(...waits.map(({ since }) => since)) + ms : undefined
}

function undecided({ steps, decisions }: Pick<SavedRun, 'steps' | 'decisions'>): { key: string; since: number }[] {
  return [...steps.entries()].flatMap(([i, step]) => {
    if (step.kind !== 'tool' || !step.waiting || step.observation) return []
    const key = waitKey(i + 1, step.waiting)
    return decisions[key] ? [] : [{ key, since: step.waiting.since }]
  })
}
