import type { Network } from '../../base/http/proxy.ts'
import { blankSecrets, redactTokens, type Log } from '../../base/log.ts'

/** One result of `npm run doctor`. */
export interface Finding {
  /** The area: `Slack`, `model`, `Redis`, `tools`, `MCP`, `time`, `settings`. */
  area: string
  /** The checked thing, in a word or two. */
  name: string
  /** `note`: nothing is broken, but the operator should know. */
  outcome: 'ok' | 'note' | 'fault'
  /** The finding in a sentence, and the fix of a fault. */
  sentence: string
}

/** The services that checks use. `now`: milliseconds. */
export interface CheckServices {
  log: Log
  net: Network
  now: () => number
}

/** Returns makers of an area's findings. */
export function findingsAbout(area: string) {
  const make = (outcome: Finding['outcome']) => (name: string, sentence: string) => ({ area, name, outcome, sentence })
  return { ok: make('ok'), note: make('note'), fault: make('fault') }
}

/** Removes secrets, because a server or a tool may repeat its input. */
export function withoutSecrets(finding: Finding, secrets: string[]): Finding {
  return { ...finding, sentence: redactTokens(blankSecrets(secrets)(finding.sentence)) }
}
