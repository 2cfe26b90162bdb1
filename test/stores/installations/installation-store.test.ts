/** One contract for the installations in memory and in Redis. */
import { describe, expect, test } from 'vitest'
import { SealBroken, sealerFrom, sealerOf, type Sealer } from '../../../src/base/encryption.ts'
import { createInstallations } from '../../../src/stores/installations/installation-store.ts'
import type { InstallationRecord, InstallationStore } from '../../../src/stores/installations/types.ts'
import { createValues, type ValueStore } from '../../../src/stores/values/value-store.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'

const KEY = 'a key that is long enough for a key'
let count = 0

function recordOf(id: string, more: Partial<InstallationRecord> = {}): InstallationRecord {
  return {
    ...{ id, name: 'Acme', isOrgWide: false, appId: 'A1', token: `xoxb-secret-${id}`, botUser: 'U1', botId: 'B1' },
    ...{ url: 'https://acme.slack.com/', scopes: ['chat:write'], installer: 'U2', installedAt: 1 },
    ...more,
  }
}

function contract(open: () => InstallationStore) {
  test('a record is returned unchanged', async () => {
    const store = open()
    const rotating = recordOf('T2', { refreshToken: 'xoxe-1', expiresAt: 5, enterprise: 'E1' })
    expect([await store.save(recordOf('T1')), await store.save(rotating)]).toEqual([true, true])
    expect((await store.load('T1'))?.record).toEqual(recordOf('T1'))
    expect((await store.load('T2'))?.record).toEqual(rotating)
    expect([await store.load('T3'), await store.ids()]).toEqual([undefined, ['T1', 'T2']])
  })

  test('every write makes a new generation, and a write with an outdated one does nothing', async () => {
    const store = open()
    await store.save(recordOf('T1'))
    const first = await store.load('T1')
    await store.save(recordOf('T1', { name: 'Again' }))
    expect(await store.save(recordOf('T1', { name: 'Late' }), first?.generation)).toBe(false)
    expect(await store.remove('T1', first?.generation)).toBe(false)
    const again = await store.load('T1')
    expect(again?.record.name).toBe('Again')
    expect(await store.save(recordOf('T1', { name: 'Next' }), again?.generation)).toBe(true)
    expect((await store.load('T1'))?.record.name).toBe('Next')
  })

  test('a removed record is not restored by a concurrent write', async () => {
    const store = open()
    await store.save(recordOf('T1'))
    const stored = await store.load('T1')
    expect([await store.remove('T1', stored?.generation), await store.remove('T1')]).toEqual([true, false])
    expect(await store.save(recordOf('T1'), stored?.generation)).toBe(false)
    expect([await store.load('T1'), await store.ids()]).toEqual([undefined, []])
  })

  test('of concurrent writes with the same generation one succeeds', async () => {
    const store = open()
    await store.save(recordOf('T1'))
    const { generation } = (await store.load('T1')) ?? {}
    const done = await Promise.all(['a', 'b', 'c'].map((name) => store.save(recordOf('T1', { name }), generation)))
    expect(done.filter(Boolean)).toHaveLength(1)
  })
}

describe('in memory', () => contract(() => createInstallations(memoryKv({ now: Date.now }), sealerOf(KEY))))

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  const open = (sealer: Sealer | undefined = sealerOf(KEY), prefix = `i${count++}`) =>
    createInstallations(redisKv({ redis: server.connect(), prefix }), sealer!)
  contract(() => open())

  test('no token is unencrypted in Redis, and every key expires', async () => {
    await open(undefined, 'sealed').save(recordOf('T1'))
    const redis = server.connect()
    const [key = ''] = await redis.keys('sealed:*')
    expect(JSON.stringify(await redis.hgetall(key))).not.toContain('secret')
    expect(await redis.pttl(key)).toBeGreaterThan(0)
  })

  test('records of an older key are read only with SECRETS_KEY_OLD', async () => {
    const OLD = 'an old key that is long enough for it'
    await open(sealerOf(OLD), 'rotated').save(recordOf('T1'))
    const both = open(sealerFrom({ SECRETS_KEY: KEY, SECRETS_KEY_OLD: OLD }), 'rotated')
    const newest = open(undefined, 'rotated')
    await expect(newest.load('T1')).rejects.toThrow(SealBroken)
    const stored = await both.load('T1')
    await both.save(stored!.record, stored!.generation)
    expect((await newest.load('T1'))?.record.token).toBe('xoxb-secret-T1')
  })
})

function sharedContract(open: () => ValueStore) {
  test('of concurrent removers of a value, one gets true', async () => {
    const store = open()
    await store.put('state', {}, { ttlMs: 60_000 })
    const told = await Promise.all([1, 2, 3].map(() => store.remove('state')))
    expect(told.filter(Boolean)).toHaveLength(1)
    expect(await store.remove('state')).toBe(false)
  })
}

describe('shared values in memory', () =>
  sharedContract(() => createValues(memoryKv({ now: Date.now }), { room: 'mcp' })))
describeWithRedis('shared values in Redis', () => {
  const server = suiteRedis()
  const redis = () => server.connect()
  sharedContract(() => createValues(redisKv({ redis: redis(), prefix: `s${count++}` }), { room: 'installs' }))
})
