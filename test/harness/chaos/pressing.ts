/** The cards of calls that wait for a person, and people who press them. */
import { expect } from 'vitest'
import { createAuditLog } from '../../../src/stores/audit/audit-log.ts'
import type { AuditEntry } from '../../../src/stores/audit/types.ts'
import { findRuns } from '../../../src/stores/runs/list-runs.ts'
import { ALICE, TEAM, type StoredMessage } from '../../../playground/slack/slack.ts'
import { ONCE } from '../approvals.ts'
import { eventually } from '../stores.ts'
import type { BotProcess } from './bots.ts'
import type { AskedThread, Scene } from './scene.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'

/** Returns the state of a run in Redis, by its thread's first question. */
async function stateOf({ client, env }: Scene, thread: AskedThread): Promise<string | undefined> {
  const [run] = await findRuns({ redis: client, prefix: env.REDIS_PREFIX ?? 'thinkaloud' }, thread.ids[0]!)
  return run?.state
}

/** Returns whether the run waits for a person: its card is there, and no process works on it. */
export function isSuspended(scene: Scene, thread: AskedThread): Promise<void> {
  return eventually(async () => expect(await stateOf(scene, thread)).toBe('parked'), 60_000)
}

/** Resolves with the card of a thread's wait, when it can be pressed. */
export function openCard({ slack }: Scene, { channel, ts }: AskedThread, wait = '1'): Promise<StoredMessage> {
  const isMeant = (message: StoredMessage) =>
    JSON.stringify(message.metadata ?? {}).includes(`"step":"approval-${wait}"`)
  const isOpen = (message: StoredMessage) => slack.shown(message).startsWith('🔐')
  const find = () => slack.replies(channel, ts).find((message) => isMeant(message) && isOpen(message))
  return slack.until(find, `a card of ${wait} that can be pressed`, 60_000)
}

interface Press {
  action?: string
  user?: string
  /** The id of the step's wait. */
  wait?: string
  /** The front that gets the press. Default: the one started last. */
  at?: BotProcess
}

/** Presses a button of a card in a thread. Resolves when it is acked. */
export async function pressCard(
  scene: Scene,
  thread: AskedThread,
  { action = ONCE, user = ALICE, wait, at }: Press = {},
): Promise<void> {
  const { ts } = await openCard(scene, thread, wait)
  if (at) scene.slack.setTarget(`http://127.0.0.1:${at.port}/slack/events`)
  const { ok } = await scene.slack.press({ channel: thread.channel, ts, user }, { action_id: action })
  if (!ok) throw new Error(`The press of ${user} was not acked.`)
}

/** Returns the audit list's entries for a thread's writes, in the order of their steps. */
async function auditOf({ client, env }: Scene, { ids }: AskedThread): Promise<AuditEntry[]> {
  const audit = createAuditLog(redisKv({ redis: client, prefix: env.REDIS_PREFIX ?? 'thinkaloud' }), { now: Date.now })
  const entries = await audit.list({ team: TEAM }, 1_000)
  return entries.filter(({ run }) => ids.includes(run)).sort((one, other) => one.step - other.step)
}

/** Checks that the audit list has exactly these entries for a thread's writes. */
export function expectAudit(scene: Scene, thread: AskedThread, entries: Partial<AuditEntry>[]): Promise<void> {
  const wanted = entries.map((entry) => expect.objectContaining({ askedBy: ALICE, ...entry }))
  return eventually(async () => expect(await auditOf(scene, thread)).toEqual(wanted), 10_000)
}
