/** One contract for both implementations: memory and Redis. */
import { describe, expect, test } from 'vitest'
import { createAuditLog } from '../../../src/stores/audit/audit-log.ts'
import { AUDIT_TTL_MS, type AuditEntry, type AuditLog } from '../../../src/stores/audit/types.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'
import { eventually } from '../../harness/stores.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'

const NOW = Date.now()

function write(step: number, more: Partial<AuditEntry> = {}): AuditEntry {
  const { team = 'T1', at = NOW + step } = more
  return {
    ...{
      run: `${team}:C1:1.0`,
      step,
      team,
      channel: 'C1',
      thread: '1.0',
      askedBy: 'U1',
      how: 'config',
      tool: 'ledger__add',
    },
    ...{ argumentsHash: 'ab'.repeat(32), at, outcome: 'begun' },
    ...more,
  }
}

interface Settings {
  ttlMs?: number
  max?: number
}

/** The contract of every audit list. */
function auditContract(make: (settings?: Settings) => AuditLog): void {
  const steps = async (audit: AuditLog, n = 99) => (await audit.list({ team: 'T1' }, n)).map(({ step }) => step)

  test('entries are returned unchanged, newest first, up to the requested number', async () => {
    const audit = make()
    const full = write(2, { decidedBy: 'U2', how: 'always', server: 'ledger "é\u2028"', outcome: 'done' })
    for (const entry of [write(1), full, write(3), write(4, { at: NOW })]) await audit.note(entry)
    expect(await steps(audit)).toEqual([3, 2, 1, 4])
    expect((await audit.list({ team: 'T1' }, 2))[1]).toEqual(full)
    expect(await steps(audit, 0)).toEqual([])
    expect(await audit.list({ team: 'T9' }, 5)).toEqual([])
  })

  test('noting a step again replaces its entry, not that of another run', async () => {
    const audit = make()
    await audit.note(write(1))
    await audit.note(write(1, { run: 'T1:C1:2.0', at: NOW }))
    await audit.note(write(1, { outcome: 'done', decidedBy: 'U2', how: 'once' }))
    await audit.note(write(1, { outcome: 'done', decidedBy: 'U2', how: 'once' }))
    const listed = await audit.list({ team: 'T1' }, 9)
    expect(listed.map(({ run, outcome }) => [run, outcome])).toEqual([
      ['T1:C1:1.0', 'done'],
      ['T1:C1:2.0', 'begun'],
    ])
  })

  test('beyond the maximum the oldest are dropped', async () => {
    const audit = make({ max: 3 })
    for (const step of [5, 1, 4, 2, 3]) await audit.note(write(step))
    expect(await steps(audit)).toEqual([5, 4, 3])
  })

  test('expired entries are not listed', async () => {
    const audit = make({ ttlMs: 3_600_000 })
    await audit.note(write(1, { at: NOW - 7_200_000 }))
    await audit.note(write(2))
    expect(await steps(audit)).toEqual([2])
  })

  test('each team has its own list', async () => {
    const audit = make()
    for (const team of ['T1', 'T12']) await audit.note(write(1, { team }))
    expect(await steps(audit)).toEqual([1])
    expect(await audit.list({ team: 'T12' }, 9)).toEqual([write(1, { team: 'T12' })])
  })

  test('noted and listed entries are copies', async () => {
    const audit = make()
    const entry = write(1)
    await audit.note(entry)
    entry.outcome = 'failed'
    const [listed] = await audit.list({ team: 'T1' }, 1)
    listed!.outcome = 'failed'
    expect((await audit.list({ team: 'T1' }, 1))[0]?.outcome).toBe('begun')
  })
}

describe('in memory', () => {
  auditContract((settings) => createAuditLog(memoryKv({ now: Date.now }), { now: Date.now, ...settings }))
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  let count = 0
  const open = ({ prefix = `w${count++}`, ...settings }: Settings & { prefix?: string } = {}) =>
    createAuditLog(redisKv({ redis: server.connect(), prefix }), { now: Date.now, ...settings })

  auditContract(open)

  test('both keys belong to the team and expire a year after its last write; dropped entries leave nothing', async () => {
    const audit = open({ prefix: 'keys', max: 2 })
    for (const step of [1, 2, 3]) await audit.note(write(step))
    const redis = server.rawClient()
    expect((await redis.keys('keys:*')).sort()).toEqual(['keys:{T1}:audit', 'keys:{T1}:audit-times'])
    for (const key of await redis.keys('keys:*'))
      expect(Math.abs((await redis.pttl(key)) - AUDIT_TTL_MS)).toBeLessThan(3_600_000)
    expect((await redis.hkeys('keys:{T1}:audit')).sort()).toEqual(['T1:C1:1.0 2', 'T1:C1:1.0 3'])
  })

  test('it expires', async () => {
    const audit = open({ ttlMs: 150 })
    await audit.note(write(1, { at: Date.now() }))
    await eventually(async () => expect(await audit.list({ team: 'T1' }, 9)).toEqual([]))
  })

  test('unreadable entries are skipped', async () => {
    const audit = open({ prefix: 'torn' })
    for (const step of [1, 2, 3]) await audit.note(write(step))
    const redis = server.rawClient()
    await redis.hset('torn:{T1}:audit', 'T1:C1:1.0 1', '{"tool', 'T1:C1:1.0 2', 'null')
    expect((await audit.list({ team: 'T1' }, 9)).map(({ step }) => step)).toEqual([3])
  })
})
