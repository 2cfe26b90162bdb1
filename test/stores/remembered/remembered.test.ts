/** One contract for both implementations: memory and Redis. */
import { describe, expect, test } from 'vitest'
import { sealerOf } from '../../../src/base/encryption.ts'
import { createRemembered } from '../../../src/stores/remembered/remembered.ts'
import { MAX_PER_PERSON, MAX_REMEMBERED, scopeOf, type RememberedStore } from '../../../src/stores/remembered/types.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'
import { keptLog } from '../../harness/stores.ts'

const DAY_MS = 86_400_000
const SCOPE = 'T1:C1:all'
const one = (
  id: string,
  more: { by?: string; userTeam?: string; keptBy?: string; at?: number; text?: string } = {},
) => ({
  ...{ id, text: `The text ${id}.`, by: 'U1', at: 1_700_000_000_000, ...more },
})

type Make = (options?: { now?: () => number }) => RememberedStore

/** The contract of every store of remembered texts. */
function rememberedContract(make: Make): void {
  const ids = async (store: RememberedStore, scope = SCOPE) => (await store.list(scope)).map(({ id }) => id)

  test('a place has its own facts, oldest first', async () => {
    const store = make()
    const [newer, older] = [one('2', { at: 2, keptBy: 'U2', text: 'Zürich <@U1> 🦉' }), one('1', { at: 1 })]
    expect([await store.add(SCOPE, newer), await store.add(SCOPE, older)]).toEqual(['added', 'added'])
    expect(await store.list(SCOPE)).toEqual([older, newer])
    expect(await store.add(SCOPE, { ...newer, text: 'changed' })).toBe('known')
    const places = [{ user: 'U2' }, { team: 'T2' }, { channel: 'C2' }, { channel: 'D1' }, { channel: 'D1', user: 'U2' }]
    const scopes = places.map((place) =>
      scopeOf({ team: 'T1', channel: 'C1', user: 'U1', ...place }, { isShared: false }),
    )
    scopes.push(scopeOf({ team: 'T1', channel: 'C1', user: 'U1' }, { isShared: true }))
    expect(await Promise.all(scopes.map((scope) => store.list(scope)))).toEqual([[older, newer], [], [], [], [], []])
    expect(new Set(scopes).size).toBe(scopes.length)
  })

  test('the same words are stored once per place, in any spelling', async () => {
    const store = make()
    const [first, again] = [
      one('1', { text: 'Our year starts in May.' }),
      one('2', { text: ' our  year starts in\nmay.' }),
    ]
    expect([await store.add(SCOPE, first), await store.add(SCOPE, again)]).toEqual(['added', 'same'])
    expect(await store.add('T1:C2:all', again)).toBe('added')
    expect(await store.add(SCOPE, one('3', { text: 'Our year starts in June.' }))).toBe('added')
    expect(await ids(store)).toEqual(['1', '3'])
  })

  test('at most a hundred are stored', async () => {
    const store = make()
    const all = Array.from({ length: MAX_REMEMBERED + 3 }, (_, i) => one(String(i)))
    for (let i = 0; i < all.length; i += 20)
      await Promise.all(all.slice(i, i + 20).map((each) => store.add(SCOPE, each)))
    expect(await ids(store)).toHaveLength(MAX_REMEMBERED)
    expect(await store.add(SCOPE, one('more'))).toBe('full')
    await store.remove(SCOPE, '5')
    expect(await store.add(SCOPE, one('more'))).toBe('added')
  })

  test('a full place has a share for each person, at the cost of who has most', async () => {
    const store = make()
    for (let i = 0; i < MAX_REMEMBERED; i++) await store.add(SCOPE, one(String(i)))
    for (let i = 0; i < MAX_PER_PERSON; i++) expect(await store.add(SCOPE, one(`b${i}`, { by: 'U2' }))).toBe('added')
    expect(await store.add(SCOPE, one('b20', { by: 'U2' }))).toBe('full')
    expect(await store.add(SCOPE, one('c', { by: 'U1', keptBy: 'U3' }))).toBe('added')
    const left = await ids(store)
    expect(left).toHaveLength(MAX_REMEMBERED)
    expect(left.slice(0, 1)).toEqual(['21'])
    expect(left).toEqual(expect.arrayContaining(['b0', 'b19', 'c']))
  })

  test('a person of another company with the id of somebody here has a share of their own', async () => {
    const store = make()
    const theirs = { userTeam: 'T9' }
    for (let i = 0; i < MAX_REMEMBERED; i++) await store.add(SCOPE, one(String(i)))
    expect(await store.add(SCOPE, one('more'))).toBe('full')
    for (let i = 0; i < MAX_PER_PERSON; i++) expect(await store.add(SCOPE, one(`t${i}`, theirs))).toBe('added')
    expect(await store.add(SCOPE, one('t20', theirs))).toBe('full')
    // What somebody here had remembered of their words is of the share of whoever pressed.
    expect(await store.add(SCOPE, one('kept', { ...theirs, keptBy: 'U2' }))).toBe('added')
    expect((await store.list(SCOPE)).filter(({ userTeam }) => userTeam === 'T9')).toHaveLength(MAX_PER_PERSON + 1)
  })

  test('nobody loses their share', async () => {
    const store = make()
    for (let i = 0; i < MAX_REMEMBERED; i++) await store.add(SCOPE, one(String(i), { by: `U${i % 5}` }))
    expect(await store.add(SCOPE, one('more', { by: 'U9' }))).toBe('full')
    await store.remove(SCOPE, '0')
    expect(await store.add(SCOPE, one('more', { by: 'U9' }))).toBe('added')
  })

  test('a removed fact does not return with a late delivery within a day', async () => {
    let now = 0
    const store = make({ now: () => now })
    await store.add(SCOPE, one('1'))
    await store.remove(SCOPE, '1')
    expect(await store.add(SCOPE, one('1'))).toBe('known')
    expect(await ids(store)).toEqual([])
    now = DAY_MS
    expect(await store.add(SCOPE, one('1'))).toBe('added')
  })

  test('each expires after its last use', async () => {
    let now = 0
    const store = make({ now: () => now })
    for (const id of ['1', '2']) await store.add(SCOPE, one(id))
    now = 6 * DAY_MS
    await store.use(SCOPE, ['2', 'unknown'])
    now = 10 * DAY_MS
    expect(await ids(store)).toEqual(['2'])
    now = 16 * DAY_MS
    expect(await ids(store)).toEqual([])
    await store.use(SCOPE, ['2'])
    expect(await ids(store)).toEqual([])
  })

  test('forgetting a person, channel or team is final, despite concurrent use', async () => {
    const store = make()
    const own = 'T1:D1:U1'
    await store.add(SCOPE, one('1'))
    await store.add(SCOPE, one('2', { by: 'U2' }))
    await store.add(SCOPE, one('3', { by: 'U2', keptBy: 'U1' }))
    for (const scope of [own, 'T2:C1:all']) await store.add(scope, one('1'))
    await store.forgetUser({ team: 'T1', user: 'U1' })
    expect([await ids(store), await ids(store, own), await ids(store, 'T2:C1:all')]).toEqual([['2'], [], ['1']])
    await store.add(own, one('2'))
    await store.forgetChannel({ team: 'T1', channel: 'D1' })
    await store.use(own, ['2'])
    expect([await ids(store), await ids(store, own)]).toEqual([['2'], []])
    await store.forgetTeam('T1')
    expect([await ids(store), await ids(store, 'T2:C1:all')]).toEqual([[], ['1']])
  })
}

describe('in memory', () => {
  rememberedContract(({ now = Date.now } = {}) =>
    createRemembered(memoryKv({ now }), { now, ttlMs: 10 * DAY_MS, log: keptLog() }),
  )
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  let count = 0
  const open = ({ now = Date.now, prefix = `t${count++}`, secret = '' } = {}) => {
    const log = keptLog()
    const sealer = secret ? sealerOf(secret) : undefined
    return {
      ...createRemembered(redisKv({ redis: server.connect(), prefix }), { log, ttlMs: 10 * DAY_MS, now, sealer }),
      log,
    }
  }

  rememberedContract(open)

  test('it is sealed with a key, also if it was stored without one; with another key it is unreadable and stays', async () => {
    const [raw, secret] = [server.rawClient(), 'a'.repeat(32)]
    await open({ prefix: 'sealed' }).add(SCOPE, one('1'))
    const store = open({ prefix: 'sealed', secret })
    expect(await store.list(SCOPE)).toEqual([one('1')])
    await store.add(SCOPE, one('2'))
    const key = `sealed:{${SCOPE}}:remembered`
    expect(await raw.keys('sealed:*')).toEqual([key])
    expect(await raw.get(key)).toMatch(/^v1\.[\w-]+\.[\w-]+$/)
    expect(await raw.pttl(key)).toBeGreaterThan(9 * DAY_MS)
    expect(await store.list(SCOPE)).toEqual([one('1'), one('2')])
    const other = open({ prefix: 'sealed', secret: 'b'.repeat(32) })
    for (const failing of [
      other.list(SCOPE),
      other.add(SCOPE, one('3')),
      other.use(SCOPE, ['1']),
      other.remove(SCOPE, '1'),
    ])
      await expect(failing).rejects.toThrow('cannot be read')
    await other.forgetUser({ team: 'T1', user: 'U1' })
    expect(other.log.lines).toHaveLength(5)
    expect(await store.list(SCOPE)).toEqual([one('1'), one('2')])
  })
})
