/** Checks how far this machine's clock is off: Slack's signatures and TLS certificates depend on it. */
import type { Config } from '../../config.ts'
import { findingsAbout, type CheckServices, type Finding } from './finding.ts'

const { ok, note, fault } = findingsAbout('time')

/** Our own check of Slack's signatures allows five minutes either way. A Date header has seconds. Milliseconds. */
const WRONG_MS = 60_000
const NOTED_MS = 5_000
const ASK_MS = 10_000

export async function timeFindings(config: Config, { net, now }: CheckServices): Promise<Finding[]> {
  const from = now()
  const response = await (net.fetch ?? globalThis.fetch)(new URL('api.test', config.SLACK_API_URL), {
    method: 'POST',
    signal: AbortSignal.timeout(ASK_MS),
  }).catch(() => undefined)
  const theirs = Date.parse(response?.headers.get('date') ?? '')
  if (Number.isNaN(theirs)) return [note('clock', 'Slack did not answer, so the clock could not be compared.')]
  // The header is cut to the second, and was written at some time between the two moments.
  const apart = Math.round(((from + now()) / 2 - theirs - 500) / 1000)
  return [clockFinding(apart)]
}

function clockFinding(apart: number): Finding {
  const way = apart > 0 ? 'ahead of' : 'behind'
  const sentence = `This machine’s clock is ${Math.abs(apart)} s ${way} Slack’s.`
  if (Math.abs(apart) * 1000 >= WRONG_MS)
    return fault('clock', `${sentence} Set it (NTP). Beyond five minutes, events over HTTP are rejected.`)
  return Math.abs(apart) * 1000 >= NOTED_MS ? note('clock', sentence) : ok('clock', 'It agrees with Slack’s.')
}
