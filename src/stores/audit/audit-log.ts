import { parseJson } from '../../base/parse-json.ts'
import { kvKey, tagsMatching, type Kv } from '../kv/kv.ts'
import { AUDIT_TTL_MS, entrySchema, MAX_ENTRIES, type AuditEntry, type AuditLog } from './types.ts'

interface AuditLogOptions {
  ttlMs?: number
  /** The maximum number of a team's entries. */
  max?: number
  now: () => number
}

/**
 * Keeps the writes:
 *
 *     {T}:audit        hash: a question's id and a step's number, with a space between, to the entry as JSON
 *     {T}:audit-times  index of these, scored by when (ms)
 *
 * Both expire a year after the team's last write.
 */
export function createAuditLog(kv: Kv, { ttlMs = AUDIT_TTL_MS, max = MAX_ENTRIES, now }: AuditLogOptions): AuditLog {
  const [entriesOf, timesOf] = [(team: string) => kvKey(team, 'audit'), (team: string) => kvKey(team, 'audit-times')]
  return {
    async note(entry) {
      const { run, step, at, team } = entry
      const id = `${run} ${step}`
      await kv.hashes.put(entriesOf(team), { [id]: JSON.stringify(entry) }, { ttlMs })
      const bounds = { above: now() - ttlMs, max }
      const gone = await kv.indexes.add(timesOf(team), id, { score: at, bounds, ttlMs })
      await kv.hashes.remove(entriesOf(team), ...gone)
    },
    async list({ team }, n) {
      const ids = await kv.indexes.range(timesOf(team), { above: now() - ttlMs, newest: true, limit: n })
      return (await kv.hashes.getAll(entriesOf(team), ids)).flatMap((text) => parseEntry(text) ?? [])
    },
  }
}

/** Returns the teams that have an audit list. Slow: it reads all keys. */
export function auditedTeams(kv: Kv): Promise<string[]> {
  return tagsMatching(kv, kvKey('*', 'audit'))
}

/** Parses a stored entry. @returns undefined for anything that is not an entry of this version */
function parseEntry(text: string | undefined): AuditEntry | undefined {
  return entrySchema.safeParse(parseJson(text)).data
}
