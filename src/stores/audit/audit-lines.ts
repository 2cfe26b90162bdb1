import type { AuditEntry, WriteOutcome } from './types.ts'

/** What came of a write, for people. */
export const OUTCOMES: Record<WriteOutcome, string> = {
  begun: 'begun',
  done: 'done',
  failed: 'failed',
  unknown: 'not known whether done',
  not_run: 'not run',
}

/** Who let it be made or did not, around a person's name: [before, after]. */
export function decidedWords({ how }: AuditEntry): [before: string, after: string] {
  if (how === 'config') return ['allowed by the settings', '']
  if (how === 'expired') return ['decided by nobody in time', '']
  if (how === 'denied') return ['denied by ', '']
  return ['allowed by ', how === 'always' ? ', always in this thread' : '']
}

/** How much of a hash is shown where a person reads it. */
const HASH_CHARS = 12

/** One line for an operator. */
export function auditLine(entry: AuditEntry): string {
  const { run, step, askedBy, decidedBy, tool, server, argumentsHash, at, outcome } = entry
  const [before, after] = decidedWords(entry)
  const fields = [
    new Date(at).toISOString(),
    OUTCOMES[outcome],
    server === undefined ? tool : `${tool} of ${server}`,
    `asked by ${askedBy}`,
    `${before}${decidedBy ?? ''}${after}`,
    `arguments ${argumentsHash.slice(0, HASH_CHARS)}`,
    `step ${step} of ${run}`,
  ]
  return fields.join('  ').replace(/\p{Cc}+/gu, ' ')
}
