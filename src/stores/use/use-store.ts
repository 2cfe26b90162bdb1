import { parseJson } from '../../base/parse-json.ts'
import { changeText, escapeGlob, forgetKeys, kvKey, tagsMatching, type Kv } from '../kv/kv.ts'
import { countsSchema, utcDay, USE_TTL_MS, type Counts, type UseStore } from './types.ts'

/**
 * Keeps the counts:
 *
 *     {T}:use:2026-11-26  hash: a field to its number, for all of the day
 *     {T}:use:of:ID       what an id adds to its day, as JSON
 */
export function createUseStore(kv: Kv): UseStore {
  const keyOf = (team: string, name: string) => kvKey(team, `use:${name}`)
  return {
    book: ({ team, id, at }, counts, { grows = false } = {}) =>
      changeText(kv, keyOf(team, `of:${id}`), (text) => {
        const before = countsSchema.safeParse(parseJson(text)).data ?? {}
        const after: Counts = { ...counts }
        for (const [field, number] of Object.entries(before))
          after[field] = grows ? Math.max(after[field] ?? 0, number) : (after[field] ?? 0)
        const changes = Object.entries(after).map(([field, number]) => [
          field,
          Math.round(number - (before[field] ?? 0)),
        ])
        const numbers: Counts = Object.fromEntries(changes.filter(([, change]) => change !== 0))
        return { after: JSON.stringify(after), ttlMs: USE_TTL_MS, add: { key: keyOf(team, utcDay(at)), numbers } }
      }),
    days: (team, days) =>
      Promise.all(
        days.map(async (day) => {
          const fields = Object.entries(await kv.hashes.all(keyOf(team, day)))
          return Object.fromEntries(fields.map(([field, number]) => [field, Number(number)]))
        }),
      ),
    async drop(team, days, beginnings) {
      for (const key of days.map((day) => keyOf(team, day))) {
        const fields = Object.keys(await kv.hashes.all(key))
        const gone = fields.filter((field) => beginnings.some((beginning) => field.startsWith(beginning)))
        await kv.hashes.remove(key, ...gone)
      }
    },
    forgetTeam: (team) => forgetKeys(kv, escapeGlob(team), /^use:/),
  }
}

/** Returns the teams that have counts. Slow: it reads all keys. */
export async function teamsWithUse(kv: Kv): Promise<string[]> {
  return (await tagsMatching(kv, kvKey('*', 'use:20*'))).sort()
}
