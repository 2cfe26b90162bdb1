import type { AuditEntry, WriteOutcome } from './types.ts'

/** The outcomes of writes, in words for people. */
export const AUDIT_OUTCOMES: Record<WriteOutcome, string> = {
  begun: 'begun',
  done: 'done',
  failed: 'failed',
  unknown: 'outcome unknown',
  not_run: 'not run',
}

/** Returns the words around the name of the person who decided about a write: [before, after]. */
export function decidedWords({ how }: AuditEntry): [before: string, after: string] {
  if (how === 'config') return ['allowed by the settings', '']
  if (how === 'expired') return ['not decided in time', '']
  if (how === 'denied') return ['denied by ', '']
  return ['allowed by ', how === 'always' ? ', always in this thread' : '']
}

/** How many characters of a hash are shown to people. */
const HASH_CHARS = 12

/** Returns an entry as one line for operators. */
export function auditLine(entry: AuditEntry): string {
  const { run, step, askedBy, decidedBy, tool, server, argumentsHash, at, outcome } = entry
  const [before, after] = decidedWords(entry)
  const fields = [
    new Date(at).toISOString(),
    AUDIT_OUTCOMES[outcome],
    server === undefined ? tool : `${tool} of ${server}`,
    `asked by ${askedBy}`,
    `${before}${decidedBy ?? ''}${after}`,
    `arguments ${argumentsHash.slice(0, HASH_CHARS)}`,
    `step ${step} of ${run}`,
  ]
  return fields.join('  ').replace(/\p{Cc}+/gu, ' ')
}
