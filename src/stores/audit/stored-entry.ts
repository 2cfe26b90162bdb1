import { parseJson } from '../../base/parse-json.ts'
import { z } from 'zod'
import type { AuditEntry } from './types.ts'

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
export function parseEntry(text: string | null): AuditEntry | undefined {
  return entrySchema.safeParse(parseJson(text ?? undefined)).data
}
