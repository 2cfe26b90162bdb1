import { kvKey, type Kv } from './kv/kv.ts'

/** The newest ids of each team, such as questions that could not be answered. */
export interface RecentList {
  /** Adds an id, or moves it, to its time (ms since the epoch). */
  add(team: string, id: string, at: number): Promise<void>
  remove(team: string, id: string): Promise<void>
  /** The newest first, at most `n`. */
  newest(team: string, n: number): Promise<string[]>
  forgetTeam(team: string): Promise<void>
}

interface RecentListOptions {
  name: string
  /** How long an id stays after its time. The list expires as long after the team's last id. Milliseconds. */
  ttlMs: number
  /** The maximum number of a team's ids; beyond it the oldest go. */
  max: number
  now: () => number
}

/** Keeps the list as an index `{T}:NAME`, scored by time (ms). */
export function createRecentList(kv: Kv, { name, ttlMs, max, now }: RecentListOptions): RecentList {
  const keyOf = (team: string) => kvKey(team, name)
  return {
    async add(team, id, at) {
      await kv.indexes.add(keyOf(team), id, { score: at, bounds: { above: now() - ttlMs, max }, ttlMs })
    },
    remove: (team, id) => kv.indexes.remove(keyOf(team), id),
    newest: (team, n) => kv.indexes.range(keyOf(team), { above: now() - ttlMs, newest: true, limit: n }),
    async forgetTeam(team) {
      await kv.keys.remove(keyOf(team))
    },
  }
}
