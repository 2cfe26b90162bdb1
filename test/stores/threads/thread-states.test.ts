/** One contract for both implementations: memory and Redis. */
import { describe, expect, test } from 'vitest'
import { createThreadStates } from '../../../src/stores/threads/thread-states.ts'
import { MAX_GRANTS, type ThreadStates } from '../../../src/stores/threads/types.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'
import { eventually } from '../../harness/stores.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'

const DAY_MS = 86_400_000
const thread = 'T1:C1:1.0'

/** The contract of every store of threads' states. */
function threadsContract(make: (settings?: { ttlMs?: number }) => ThreadStates): void {
  test('an unknown thread has an empty state', async () => {
    expect(await make().load(thread)).toEqual({})
  })

  test('each part is set separately and returned unchanged', async () => {
    const threads = make()
    const lookingAt = { channel: 'C0GENERAL01', at: 1_700_000_000_000 }
    const state = { muted: true, title: 'Über "Dune" 🦉', renamed: false, lookingAt }
    await threads.patch(thread, state)
    expect(await threads.load(thread)).toEqual(state)
    await threads.patch(thread, { muted: false, title: undefined })
    expect(await threads.load(thread)).toEqual({ ...state, muted: false })
    await Promise.all([threads.patch(thread, { title: 'Dune' }), threads.patch(thread, { muted: true })])
    expect(await threads.load(thread)).toEqual({ ...state, title: 'Dune' })
  })

  test('grants are added, one per person and tool, and the newest are kept', async () => {
    const threads = make()
    const grant = (tool: string, by: string, at: number) => ({ tool, by, at })
    await Promise.all([
      threads.patch(thread, { grants: [grant('files__write', 'U1', 1_700_000_000_001)] }),
      threads.patch(thread, { grants: [grant('files__write', 'U2', 1_700_000_000_002)] }),
      threads.patch(thread, { muted: true }),
    ])
    await threads.patch(thread, { grants: [grant('files__write', 'U1', 1_700_000_000_003)] })
    expect(await threads.load(thread)).toEqual({
      muted: true,
      grants: [grant('files__write', 'U2', 1_700_000_000_002), grant('files__write', 'U1', 1_700_000_000_003)],
    })
    for (let i = 0; i < MAX_GRANTS; i++) await threads.patch(thread, { grants: [grant(`tool${i}`, 'U1', i)] })
    const { grants = [] } = await threads.load(thread)
    expect(grants.map(({ tool }) => tool)).toEqual(Array.from({ length: MAX_GRANTS }, (_, i) => `tool${i}`))
  })

  test('forgetting a person removes their grants in all threads of the team only', async () => {
    const threads = make()
    const grants = ['U1', 'U2'].map((by) => ({ tool: 'x', by, at: 1 }))
    for (const each of [thread, 'T2:C1:1.0']) await threads.patch(each, { title: 'x', grants })
    await threads.patch('T1:C2:2.0', { muted: true, grants: [grants[0]!] })
    await threads.forgetUser({ team: 'T1', user: 'U1' })
    expect(await threads.load(thread)).toEqual({ title: 'x', grants: [grants[1]] })
    expect(await threads.load('T1:C2:2.0')).toEqual({ muted: true })
    expect(await threads.load('T2:C1:1.0')).toEqual({ title: 'x', grants })
  })

  test('forgetting a thread, channel or team removes nothing else', async () => {
    const threads = make()
    const all = [thread, 'T1:C1:2.0', 'T1:C12:1.0', 'T12:C1:1.0']
    for (const each of all)
      await threads.patch(each, {
        muted: true,
        title: 'x',
        renamed: true,
        lookingAt: { channel: 'C1', at: 1 },
        grants: [{ tool: 'x', by: 'U1', at: 1 }],
      })
    const left = async () => {
      const states = await Promise.all(all.map((each) => threads.load(each)))
      return all.filter((_, i) => Object.keys(states[i]!).length > 0)
    }
    await threads.forget(thread)
    expect(await left()).toEqual(all.slice(1))
    await threads.forgetChannel({ team: 'T1', channel: 'C1' })
    expect(await left()).toEqual(all.slice(2))
    await threads.forgetTeam('T1')
    expect(await left()).toEqual(all.slice(3))
  })

  test('a channel’s thread states move to its new id once, and existing ones stay', async () => {
    const threads = make()
    const grants = [{ tool: 'x', by: 'U1', at: 1 }]
    await threads.patch(thread, { muted: true, title: 'old', grants })
    await threads.patch('T1:C12:1.0', { muted: true })
    await threads.patch('T1:C9:1.0', { title: 'new' })
    for (let times = 0; times < 2; times++) await threads.moveChannel({ team: 'T1', channel: 'C1' }, 'C9')
    expect(await threads.load('T1:C9:1.0')).toMatchObject({ title: 'new' })
    await threads.moveChannel({ team: 'T1', channel: 'C12' }, 'C8')
    expect([await threads.load('T1:C8:1.0'), await threads.load(thread)]).toEqual([{ muted: true }, {}])
    await threads.patch('T1:C1:3.0', { muted: true, title: 'old', grants })
    await threads.moveChannel({ team: 'T1', channel: 'C1' }, 'C9')
    expect(await threads.load('T1:C9:3.0')).toEqual({ muted: true, title: 'old', grants })
  })

  test('a state expires', async () => {
    const threads = make({ ttlMs: 150 })
    await threads.patch(thread, { muted: true })
    await eventually(async () => expect(await threads.load(thread)).toEqual({}))
  })
}

describe('in memory', () => {
  threadsContract(({ ttlMs = DAY_MS } = {}) => createThreadStates(memoryKv({ now: Date.now }), { ttlMs }))
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  let count = 0

  const open = ({ ttlMs = DAY_MS, prefix = `t${count++}` }: { ttlMs?: number; prefix?: string } = {}) => {
    const redis = server.connect()
    return createThreadStates(redisKv({ redis, prefix }), { ttlMs })
  }

  threadsContract(open)

  test('every key has the thread in its tag and expires, and an unreadable value counts as unset', async () => {
    const threads = open({ prefix: 'torn' })
    await threads.patch(thread, {
      muted: true,
      title: 'x',
      renamed: true,
      lookingAt: { channel: 'C1', at: 1 },
      grants: [{ tool: 'x', by: 'U1', at: 1 }],
    })
    const redis = server.rawClient()
    const keys = (await redis.keys('torn:*')).sort()
    expect(keys).toEqual(
      ['grants', 'looking-at', 'muted', 'renamed', 'title'].map((name) => `torn:{T1:C1:1.0}:${name}`),
    )
    for (const key of keys) expect(await redis.pttl(key), key).toBeGreaterThan(DAY_MS - 60_000)
    await redis.set('torn:{T1:C1:1.0}:looking-at', '<!channel> soon', 'PX', DAY_MS)
    await redis.set('torn:{T1:C1:1.0}:muted', '1', 'PX', DAY_MS)
    const added = { tool: 'y', by: 'U1', at: 2 }
    for (const torn of ['[{"tool":', '"x"', '[1, {}]', '{}', '[]']) {
      await redis.set('torn:{T1:C1:1.0}:grants', torn, 'PX', DAY_MS)
      expect(await threads.load(thread), torn).toEqual({ title: 'x', renamed: true })
      await threads.patch(thread, { grants: [added] })
      expect((await threads.load(thread)).grants ?? [added], torn).toEqual([added])
    }
  })
})
