import { AUDIT_TTL_MS, MAX_ENTRIES, type AuditEntry, type AuditLog } from './types.ts'

interface MemoryAuditOptions {
  ttlMs?: number
  /** The maximum number of a team's entries. */
  max?: number
  now: () => number
}

/** The audit list in this process's memory. It is lost when the process ends. */
export function memoryAudit({ ttlMs = AUDIT_TTL_MS, max = MAX_ENTRIES, now }: MemoryAuditOptions): AuditLog {
  const teams = new Map<string, Map<string, AuditEntry>>()
  const isKept = ({ at }: AuditEntry) => at > now() - ttlMs
  const newestOf = (team: string) =>
    [...(teams.get(team)?.values() ?? [])].filter(isKept).sort((one, other) => other.at - one.at)
  return {
    async note(entry) {
      const id = `${entry.run} ${entry.step}`
      const entries = teams.get(entry.team) ?? new Map<string, AuditEntry>()
      teams.set(entry.team, entries.set(id, { ...entry }))
      if (entries.size <= max) return
      const kept = newestOf(entry.team).slice(0, max).reverse()
      teams.set(entry.team, new Map(kept.map((one) => [`${one.run} ${one.step}`, one])))
    },
    list: async ({ team }, n) =>
      newestOf(team)
        .slice(0, n)
        .map((entry) => ({ ...entry })),
  }
}
