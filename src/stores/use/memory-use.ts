import { ExpiringMap } from '../../base/expiring-map.ts'
import { dayOf, USE_TTL_MS, type Counts, type UseStore } from './types.ts'

/**
 * The maximum number of ids whose counts can still change; beyond it those that were booked longest ago stay as they
 * are.
 */
const MAX_BOOKED = 10_000
/** Days of all teams. */
const MAX_DAYS = 10_000

/** Counts use in this process's memory; the clock is in milliseconds. */
export function memoryUse({ now }: { now: () => number }): UseStore {
  const days = new ExpiringMap<Counts>({ ttlMs: USE_TTL_MS, maxSize: MAX_DAYS, now })
  const booked = new ExpiringMap<Counts>({ ttlMs: USE_TTL_MS, maxSize: MAX_BOOKED, now })
  return {
    async book({ team, id, at }, counts, { grows = false } = {}) {
      const [dayKey, key] = [`${team} ${dayOf(at)}`, `${team} ${id}`]
      const [day, before] = [{ ...days.get(dayKey) }, booked.get(key) ?? {}]
      const after = { ...counts }
      for (const [field, number] of Object.entries(before))
        after[field] = grows ? Math.max(after[field] ?? 0, number) : (after[field] ?? 0)
      for (const [field, number] of Object.entries(after))
        day[field] = (day[field] ?? 0) + number - (before[field] ?? 0)
      days.set(dayKey, day)
      booked.set(key, after)
    },
    days: async (team, wanted) => wanted.map((day) => ({ ...days.get(`${team} ${day}`) })),
    async drop(team, wanted, beginnings) {
      for (const key of wanted.map((day) => `${team} ${day}`)) {
        const fields = Object.entries(days.get(key) ?? {})
        const left = fields.filter(([field]) => !beginnings.some((beginning) => field.startsWith(beginning)))
        if (left.length < fields.length) days.set(key, Object.fromEntries(left))
      }
    },
    async forgetTeam(team) {
      for (const map of [days, booked]) for (const key of map.keys()) if (key.startsWith(`${team} `)) map.delete(key)
    },
  }
}
