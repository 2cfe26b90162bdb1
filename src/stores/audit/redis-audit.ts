import type { RedisClient } from '../../base/redis/redis.ts'
import { scanKeys, threadKey, type RedisKeyspace } from '../../base/redis/redis-keys.ts'
import { redisScript } from '../../base/redis/redis-script.ts'
import { threadInKey } from '../runs/thread-keys.ts'
import { AUDIT_TTL_MS, MAX_ENTRIES, type AuditLog, type AuditEntry } from './types.ts'
import { parseJson } from '../../base/parse-json.ts'
import { z } from 'zod'

interface RedisAuditOptions extends RedisKeyspace {
  ttlMs?: number
  /** The maximum number of a team's entries. */
  max?: number
  now: () => number
}

const noteWrite = redisScript(new URL('./lua/note-write.lua', import.meta.url), {
  keys: ['entries', 'times'],
  args: ['id', 'entry', 'at', 'since', 'max', 'ttlMs'],
})

/**
 * The writes, in Redis:
 *
 *     PREFIX:{T}:audit        hash: a question's id and a step's number, with a space between, to the entry as JSON
 *     PREFIX:{T}:audit-times  sorted set of these, scored by when (ms)
 *
 * Both expire a year after the team's last write.
 */
export function redisAudit(options: RedisAuditOptions): AuditLog {
  const { redis, prefix, ttlMs = AUDIT_TTL_MS, max = MAX_ENTRIES, now } = options
  const keysOf = (team: string) => ({
    entries: threadKey(prefix, team, 'audit'),
    times: threadKey(prefix, team, 'audit-times'),
  })
  return {
    async note(entry) {
      const { run, step, at, team } = entry
      const bounds = { since: now() - ttlMs, max, ttlMs }
      await noteWrite(redis, {
        ...keysOf(team),
        id: `${run} ${step}`,
        entry: JSON.stringify(entry),
        at,
        ...bounds,
      })
    },
    async list({ team }, n) {
      const { entries, times } = keysOf(team)
      const since = `(${now() - ttlMs}`
      const ids = n > 0 ? await redis.zrevrangebyscore(times, '+inf', since, 'LIMIT', 0, n) : []
      const texts = ids.length > 0 ? await redis.hmget(entries, ...ids) : []
      return texts.flatMap((text) => parseEntry(text) ?? [])
    },
  }
}

/** Returns the teams that have an audit list. Slow: it scans all keys. */
export async function auditedTeams(redis: RedisClient, prefix: string): Promise<string[]> {
  const teams = new Set<string>()
  for await (const keys of scanKeys(redis, threadKey(prefix, '*', 'audit')))
    for (const key of keys) teams.add(threadInKey(key))
  return [...teams]
}

const entrySchema: z.ZodType<AuditEntry> = z.object({
  run: z.string(),
  step: z.number(),
  team: z.string(),
  channel: z.string(),
  thread: z.string(),
  askedBy: z.string(),
  decidedBy: z.string().exactOptional(),
  how: z.enum(['once', 'always', 'config', 'denied', 'expired']),
  tool: z.string(),
  server: z.string().exactOptional(),
  argumentsHash: z.string(),
  at: z.number(),
  outcome: z.enum(['begun', 'done', 'failed', 'unknown', 'not_run']),
})

/** Parses a stored entry. @returns undefined for anything that is not an entry of this version */
function parseEntry(text: string | null): AuditEntry | undefined {
  return entrySchema.safeParse(parseJson(text ?? undefined)).data
}
