import { redactTokens } from '../log.ts'

/** What `npm run doctor` found out about one thing. */
export interface Finding {
  /** What it belongs to: `Slack`, `model`, `Redis`, `tools`, `MCP`, `time`, `settings`. */
  area: string
  /** The thing itself, in a word or two. */
  name: string
  /** `note`: nothing is broken, but somebody should know. */
  outcome: 'ok' | 'note' | 'fault'
  /** What was found, and of a fault what to do. */
  sentence: string
}

/** Makes findings of an area. */
export function findingsOf(area: string) {
  const make = (outcome: Finding['outcome']) => (name: string, sentence: string) => ({ area, name, outcome, sentence })
  return { ok: make('ok'), note: make('note'), fault: make('fault') }
}

/** A shorter secret is a word that sentences may have. */
const LEAST_SECRET = 6

/** What a server or a tool says may repeat what it was sent. */
export function withoutSecrets(finding: Finding, secrets: string[]): Finding {
  const kept = secrets.filter((secret) => secret.length >= LEAST_SECRET)
  return {
    ...finding,
    sentence: kept.reduce((text, one) => text.replaceAll(one, '***'), redactTokens(finding.sentence)),
  }
}
