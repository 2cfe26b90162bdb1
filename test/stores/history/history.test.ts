import { describe, expect, test } from 'vitest'
import { createHistory } from '../../../src/stores/history/history-store.ts'
import { MAX_TURNS, type History, type Turn } from '../../../src/stores/history/types.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'
import { eventually, keptLog } from '../../harness/stores.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'

const thread = 'T1:C1:1.0'
/** The settings of tests that are not about limits. */
const KEPT = { ttlMs: 60_000 }

function turn(id: string, overrides: Partial<Turn> = {}): Turn {
  return { id, question: `${id}?`, standalone: `${id}, then?`, answer: `${id}!`, user: 'U1', at: 5, ...overrides }
}

/** The contract of every history. */
function historyContract(make: (settings: { ttlMs?: number }) => History): void {
  test('an unknown thread is an empty list', async () => {
    expect(await make({}).load(thread)).toEqual([])
  })

  test('turns are returned unchanged, oldest first', async () => {
    const history = make({})
    const turns = [turn('1', { question: '"quoted"\n\u2028 🦉 $& {{x}}' }), turn('2'), turn('3')]
    for (const each of turns) await history.append(thread, each)
    expect(await history.load(thread)).toEqual(turns)
  })

  test('a channel’s threads move to its new id, once', async () => {
    const history = make({})
    for (const key of ['T1:C1:1.0', 'T1:C1:2.0', 'T1:C12:1.0']) await history.append(key, turn(key))
    const move = () => history.moveChannel({ team: 'T1', channel: 'C1' }, 'C9')
    await move()
    await move()
    const ids = async (key: string) => (await history.load(key)).map(({ id }) => id)
    expect([await ids('T1:C9:1.0'), await ids('T1:C9:2.0')]).toEqual([['T1:C1:1.0'], ['T1:C1:2.0']])
    expect([await ids('T1:C1:1.0'), await ids('T1:C12:1.0')]).toEqual([[], ['T1:C12:1.0']])
  })

  test('a repeated turn is stored once, at its place', async () => {
    const history = make({})
    for (const id of ['1', '2', '1', '2', '1']) await history.append(thread, turn(id))
    expect((await history.load(thread)).map(({ id }) => id)).toEqual(['1', '2'])
    await Promise.all([1, 2, 3].map(() => history.append(thread, turn('3'))))
    expect((await history.load(thread)).map(({ id }) => id)).toEqual(['1', '2', '3'])
  })

  test('ids that begin alike are different turns', async () => {
    const history = make({})
    for (const id of ['T1:C1:1.1', 'T1:C1:1', 'T1:C1:1.10', '"', '\\']) await history.append(thread, turn(id))
    expect(await history.load(thread)).toHaveLength(5)
  })

  test('only the last turns are kept', async () => {
    const history = make({})
    const ids = Array.from({ length: MAX_TURNS + 2 }, (_, n) => String(n))
    for (const id of ids) await history.append(thread, turn(id))
    expect((await history.load(thread)).map(({ id }) => id)).toEqual(ids.slice(2))
  })

  test('threads are isolated', async () => {
    const history = make({})
    await history.append(thread, turn('1'))
    await history.append('T1:C1:1.01', turn('2'))
    await history.append('T1:C2:1.0', turn('3'))
    expect((await history.load(thread)).map(({ id }) => id)).toEqual(['1'])
  })

  test('a turn is removed with the messages before it; the others stay', async () => {
    const history = make({})
    for (const id of ['1', '1:2', '11']) await history.append(thread, turn(id, { said: '@Bob: hm' }))
    await history.remove(thread, '1')
    await history.remove('T1:C1:9.0', '11')
    expect(await history.load(thread)).toEqual([turn('1:2', { said: '@Bob: hm' }), turn('11', { said: '@Bob: hm' })])
  })

  test('forgetting removes only what it names', async () => {
    const history = make({})
    await history.append(thread, turn('1'))
    await history.append('T1:C1:2.0', turn('2'))
    await history.forget(thread)
    expect(await history.load(thread)).toEqual([])
    expect(await history.load('T1:C1:2.0')).toHaveLength(1)
  })

  test('a channel is forgotten with its threads, a team with its channels', async () => {
    const history = make({})
    const threads = ['T1:C1:1.0', 'T1:C1:2.0', 'T1:C12:1.0', 'T12:C1:1.0']
    for (const each of threads) await history.append(each, turn('1'))
    const kept = async () => {
      const counts = await Promise.all(threads.map(async (each) => (await history.load(each)).length))
      return threads.filter((_, i) => counts[i])
    }
    await history.forgetChannel({ team: 'T1', channel: 'C*' })
    expect(await kept()).toEqual(threads)
    await history.forgetChannel({ team: 'T1', channel: 'C1' })
    expect(await kept()).toEqual(['T1:C12:1.0', 'T12:C1:1.0'])
    await history.forgetTeam('T1')
    expect(await kept()).toEqual(['T12:C1:1.0'])
  })

  test('a person is forgotten with their turns and messages, and nobody else', async () => {
    const history = make({})
    const said = '@Ann: hm\n  and more\n@Bob: yes\n@Ann: no'
    const tables = [{ name: 'the table', columns: ['Yarn'], rows: [['Merino']] }]
    const theirs = turn('2', { user: 'U2', said, saidBy: ['U1', 'U3', 'U1'], tables })
    const others = turn('5', { user: 'U2', said: '@Bob: see', saidBy: ['U3'], tables })
    const old = turn('3', { user: 'U2', said: '@Ann: who knows' })
    const other = 'T1:C2:2.0'
    for (const each of [turn('1'), theirs, old, turn('4', { user: 'U12' }), others]) await history.append(thread, each)
    await history.append(other, turn('1'))
    await history.append('T12:C1:1.0', turn('1'))
    await history.forgetUser({ team: 'T1', user: 'U1' })
    expect(await history.load(thread)).toEqual([
      turn('2', { user: 'U2', said: '@Bob: yes', saidBy: ['U3'] }),
      turn('3', { user: 'U2' }),
      turn('4', { user: 'U12' }),
      others,
    ])
    expect(await history.load(other)).toEqual([])
    expect(await history.load('T12:C1:1.0')).toHaveLength(1)
  })

  test('a loaded value is a copy', async () => {
    const history = make({})
    await history.append(thread, turn('1'))
    const [loaded] = await history.load(thread)
    if (loaded) loaded.answer = 'changed'
    expect((await history.load(thread))[0]?.answer).toBe('1!')
  })

  test('a thread expires after its last turn', async () => {
    const history = make({ ttlMs: 150 })
    // Retried if a busy machine takes longer between the two.
    await eventually(async () => {
      await history.append(thread, turn('1'))
      expect(await history.load(thread)).toHaveLength(1)
    })
    await eventually(async () => expect(await history.load(thread)).toEqual([]))
  })
}

describe('the embedded history', () => {
  historyContract((settings) => createHistory(memoryKv({ now: Date.now }), { ...KEPT, log: keptLog(), ...settings }))
})

describeWithRedis('the history in Redis', () => {
  const server = suiteRedis()
  let count = 0

  const open = (options: { ttlMs?: number; log?: ReturnType<typeof keptLog>; prefix?: string } = {}) => {
    const { log = keptLog(), prefix = `h${count++}`, ttlMs = KEPT.ttlMs } = options
    return createHistory(redisKv({ redis: server.connect(log), prefix }), { log, ttlMs })
  }

  historyContract((settings) => open(settings))

  test('a thread is one key, with its hash tag, and it expires', async () => {
    const history = open({ prefix: 'one', ttlMs: 1_000_000 })
    await history.append(thread, turn('1'))
    await history.append(thread, turn('2'))
    const redis = server.rawClient()
    expect(await redis.keys('one*')).toEqual(['one:{T1:C1:1.0}:history'])
    expect(await redis.pttl('one:{T1:C1:1.0}:history')).toBeGreaterThan(900_000)
  })

  test('unreadable turns are skipped, with a log line that does not repeat them', async () => {
    const log = keptLog()
    const history = open({ prefix: 'torn', log })
    await history.append(thread, turn('1'))
    const redis = server.rawClient()
    await redis.rpush('torn:{T1:C1:1.0}:history', '{"id":"secret', 'null', '[]', '{"id":"x","question":7}')
    await history.append(thread, turn('2'))
    expect((await history.load(thread)).map(({ id }) => id)).toEqual(['1', '2'])
    expect(log.lines).toEqual([expect.objectContaining({ level: 'warn', fields: { thread, turns: 4 } })])
  })

  test('two processes see the same history', async () => {
    const [one, other] = [open({ prefix: 'both' }), open({ prefix: 'both' })]
    await Promise.all([one.append(thread, turn('1')), other.append(thread, turn('2'))])
    expect(await one.load(thread)).toHaveLength(2)
    expect(await other.load(thread)).toEqual(await one.load(thread))
  })
})
