/** One contract for both implementations: memory and Redis. */
import { describe, expect, test } from 'vitest'
import { recordOf } from '../../../src/question/archive-run.ts'
import { createArchive } from '../../../src/stores/archive/run-archive.ts'
import type { Feedback, RunArchive, RunRecord } from '../../../src/stores/archive/types.ts'
import type { RunTrace } from '../../../src/stores/runs/run-trace.ts'
import { freshRun, type Question, type SavedRun } from '../../../src/stores/runs/types.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'
import { eventually, keptLog, question, toolStep } from '../../harness/stores.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'

const DAY_MS = 86_400_000

const SAVED: SavedRun = {
  ...freshRun(1_000),
  standalone: 'What, then? "\u2028 🦉',
  steps: [
    toolStep(1, { observation: { text: '2', ok: true, sources: [{ title: 'A', url: 'https://a.example' }] } }),
    { kind: 'message', turn: 1, id: 'm1', text: 'The other one', user: 'U2' },
    { kind: 'unreadable', turn: 2, thought: '', text: 'huh', observation: { text: 'Write …', ok: false } },
  ],
  usage: [{ model: 'm', inputTokens: 5, outputTokens: 2, estimated: false, costUsd: 0.01 }],
  posts: { root: '1.1', 'answer-1': '1.2' },
  answer: { text: 'Two.', sources: [{ title: 'A', url: 'https://a.example' }] },
}

const ENDING = { model: 'm', dialect: 'text', endedAt: 2_000, hasFailed: false }

function record(name: string, asked: Partial<Question> = {}): RunRecord {
  return recordOf(question(name, asked), SAVED, ENDING)
}

function trace(name: string, asked: Partial<Question> = {}): RunTrace {
  const { id, team, channel, thread, user, text } = question(name, asked)
  const base = { version: 1 as const, id, team, channel, thread, user, question: text }
  return { ...base, model: 'm', dialect: 'text', startedAt: 1_000, attempts: 1, calls: [] }
}

const up = (by: string, at = 1): Feedback => ({ by, rating: 'up', at })
const idOf = ({ question }: RunRecord) => question.id

async function ids(records: AsyncIterable<RunRecord>): Promise<string[]> {
  const found: string[] = []
  for await (const one of records) found.push(idOf(one))
  return found.sort()
}

/** The contract of every archive. */
function archiveContract(make: (settings?: { ttlMs?: number }) => RunArchive): void {
  test('a run is returned as it ended, an unknown one is undefined', async () => {
    const archive = make()
    const kept = record('1', { ts: '1.0', isLate: true, conversation: '0.5' })
    await archive.keep(kept)
    expect(await archive.load(idOf(kept))).toEqual(kept)
    expect(await archive.load('T1:C1:other')).toBeUndefined()
  })

  test('keeping a run again replaces it, except for its feedback', async () => {
    const archive = make()
    const kept = record('1')
    await archive.keep(kept)
    await archive.rate(idOf(kept), up('U2'))
    await archive.keep({ ...kept, end: 'failed', feedback: [] })
    expect(await archive.load(idOf(kept))).toEqual({ ...kept, end: 'failed', feedback: [up('U2')] })
    expect(await archive.lastOf({ team: 'T1', user: 'U1' }, 5)).toHaveLength(1)
  })

  test('each person’s last feedback counts; an unknown run takes none', async () => {
    const archive = make()
    await archive.keep(record('1'))
    await archive.keep(record('2'))
    const { id } = question('1')
    expect(await archive.rate(id, up('U1', 1))).toBe(true)
    expect(await archive.rate(id, up('U2', 2))).toBe(true)
    expect(await archive.rate(id, { by: 'U1', rating: 'down', comment: 'Wrong "film"', at: 3 })).toBe(true)
    expect(await archive.rate('T1:C1:other', up('U1'))).toBe(false)
    const said = [up('U2', 2), { by: 'U1', rating: 'down', comment: 'Wrong "film"', at: 3 }]
    expect((await archive.load(id))?.feedback).toEqual(said)
    expect(await ids(archive.rated())).toEqual([id])
  })

  test('a person’s last runs are listed, newest first', async () => {
    const archive = make()
    for (const [i, name] of ['a', 'c', 'b'].entries()) await archive.keep(record(name, { at: i }))
    await archive.keep(record('d', { user: 'U2' }))
    await archive.keep(record('e', { team: 'T2' }))
    const names = async (n: number) => (await archive.lastOf({ team: 'T1', user: 'U1' }, n)).map(idOf)
    expect(await names(5)).toEqual(['T1:C1:b', 'T1:C1:c', 'T1:C1:a'])
    expect(await names(2)).toEqual(['T1:C1:b', 'T1:C1:c'])
    await archive.remove('T1:C1:c')
    expect(await names(2)).toEqual(['T1:C1:b', 'T1:C1:a'])
    expect(await archive.load('T1:C1:c')).toBeUndefined()
  })

  test('forgetting a person removes their runs and their feedback on others’', async () => {
    const archive = make()
    await archive.keep(record('1'))
    await archive.keep(record('2', { user: 'U2', channel: 'C2' }))
    await archive.keep(record('3', { team: 'T2' }))
    for (const id of ['T1:C1:1', 'T1:C2:2', 'T2:C1:3']) await archive.rate(id, up('U1'))
    await archive.rate('T1:C2:2', up('U3'))
    await archive.forgetUser({ team: 'T1', user: 'U1' })
    expect(await archive.load('T1:C1:1')).toBeUndefined()
    expect((await archive.load('T1:C2:2'))?.feedback).toEqual([up('U3')])
    expect((await archive.load('T2:C1:3'))?.feedback).toEqual([up('U1')])
    expect(await archive.lastOf({ team: 'T1', user: 'U1' }, 5)).toEqual([])
  })

  test('a channel is forgotten, and a team', async () => {
    const archive = make()
    const places = [{}, { channel: 'C12' }, { team: 'T12' }]
    const kept = places.map((place) => question('1', place).id)
    for (const place of places) await archive.keep(record('1', place))
    for (const id of kept) await archive.rate(id, up('U2'))
    const left = async () =>
      (await Promise.all(kept.map((id) => archive.load(id)))).flatMap((one) => (one ? [idOf(one)] : []))
    await archive.forgetChannel({ team: 'T1', channel: 'C1' })
    expect(await left()).toEqual(kept.slice(1))
    await archive.forgetTeam('T1')
    expect(await left()).toEqual(kept.slice(2))
    expect(await ids(archive.rated())).toEqual(kept.slice(2))
  })

  test('kept and loaded runs are copies', async () => {
    const archive = make()
    const kept = structuredClone(record('1'))
    await archive.keep(kept)
    kept.posts.root = 'changed'
    const loaded = await archive.load(idOf(kept))
    loaded!.steps.pop()
    expect(await archive.load(idOf(kept))).toEqual(record('1'))
  })

  test('a run’s last trace is returned, also before the run has ended', async () => {
    const archive = make()
    await archive.keepTrace(trace('1'))
    await archive.keepTrace({ ...trace('1'), attempts: 2, question: 'What? \u2028 🦉' })
    expect(await archive.loadTrace(trace('1').id)).toEqual({ ...trace('1'), attempts: 2, question: 'What? \u2028 🦉' })
    expect(await archive.loadTrace('T1:C1:other')).toBeUndefined()
    expect(await archive.load(trace('1').id)).toBeUndefined()
    expect(await archive.lastOf({ team: 'T1', user: 'U1' }, 5)).toEqual([])
  })

  test('a trace is forgotten with its run, person, channel and team', async () => {
    const archive = make()
    const places = [{}, { channel: 'C2' }, { channel: 'C2', user: 'U2' }, { team: 'T2' }]
    const traces = places.map((place, i) => trace(`${i}`, place))
    const all = async () => {
      const left = await Promise.all(traces.map(({ id }) => archive.loadTrace(id)))
      return left.flatMap((one) => (one ? [one.id] : []))
    }
    const keepAll = () => Promise.all(traces.map((one) => archive.keepTrace(one)))
    const others = (...gone: number[]) => traces.filter((_, i) => !gone.includes(i)).map(({ id }) => id)
    await keepAll()
    await archive.remove(traces[0]!.id)
    expect(await all()).toEqual(others(0))
    await keepAll()
    await archive.forgetUser({ team: 'T1', user: 'U1' })
    expect(await all()).toEqual(others(0, 1))
    await keepAll()
    await archive.forgetChannel({ team: 'T1', channel: 'C2' })
    expect(await all()).toEqual(others(1, 2))
    await keepAll()
    await archive.forgetTeam('T1')
    expect(await all()).toEqual(others(0, 1, 2))
  })

  test('a trace lives as long as a run', async () => {
    const archive = make({ ttlMs: 150 })
    await archive.keepTrace(trace('1'))
    await eventually(async () => expect(await archive.loadTrace(trace('1').id)).toBeUndefined())
  })

  test('a run expires after its end, rated or not', async () => {
    const archive = make({ ttlMs: 150 })
    await archive.keep(record('1'))
    await archive.rate(question('1').id, up('U1'))
    await eventually(async () => expect(await archive.load(question('1').id)).toBeUndefined())
    expect(await ids(archive.rated())).toEqual([])
    expect(await archive.rate(question('1').id, up('U1'))).toBe(false)
  })
}

describe('in memory', () => {
  archiveContract(({ ttlMs = DAY_MS } = {}) =>
    createArchive(memoryKv({ now: Date.now }), { ...{ log: keptLog(), prefix: '' }, now: Date.now, ttlMs }),
  )
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  let count = 0

  const open = ({
    ttlMs = DAY_MS,
    ...options
  }: { ttlMs?: number; prefix?: string; log?: ReturnType<typeof keptLog> } = {}) => {
    const { log = keptLog(), prefix = `a${count++}` } = options
    const redis = server.connect(log)
    return createArchive(redisKv({ redis, prefix }), { now: Date.now, log, prefix, ttlMs })
  }

  archiveContract(open)

  test('every key expires; those of a run have its question’s id in the tag', async () => {
    const archive = open({ prefix: 'keys' })
    await archive.keep(record('1'))
    await archive.rate('T1:C1:1', up('U2'))
    const redis = server.rawClient()
    const keys = (await redis.keys('keys:*')).sort()
    // The day may change meanwhile.
    expect(keys.map((key) => key.replace(/\d{5}$/, 'DAY'))).toEqual([
      'keys:{T1:C1:1}:feedback',
      'keys:{T1:C1:1}:record',
      'keys:{T1:U1}:asked:DAY',
    ])
    for (const key of keys) expect(await redis.pttl(key), key).toBeGreaterThan(DAY_MS - 60_000)
  })

  test('keeping a run takes three commands', async () => {
    const archive = open()
    const redis = server.rawClient()
    await archive.keep(record('1'))
    const commands = async () => Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1])
    // An idle connection first asks whether Redis is there, which adds one command and never removes any.
    await eventually(async () => {
      const before = await commands()
      await archive.keep(record('2'))
      expect((await commands()) - before - 1).toBe(3)
    })
  })

  test('unreadable runs are skipped, with a log line that does not repeat them', async () => {
    const log = keptLog()
    const archive = open({ prefix: 'torn', log })
    await archive.keep(record('1'))
    await archive.keep(record('2'))
    const redis = server.rawClient()
    await redis.set('torn:{T1:C1:1}:record', '{"secret', 'PX', DAY_MS)
    await redis.hset('torn:{T1:C1:2}:feedback', { U1: 'null', U2: '{"rating":"up","at":1}', __proto__: '[]' })
    expect((await archive.lastOf({ team: 'T1', user: 'U1' }, 9)).map(idOf)).toEqual(['T1:C1:2'])
    expect((await archive.load('T1:C1:2'))?.feedback).toEqual([up('U2')])
    expect(log.lines).toEqual([expect.objectContaining({ level: 'warn', fields: { question: 'T1:C1:1' } })])
  })

  test('a step of an unknown kind is left out of its run', async () => {
    const archive = open({ prefix: 'later' })
    await archive.keep(record('1'))
    const redis = server.rawClient()
    const stored = JSON.parse((await redis.get('later:{T1:C1:1}:record')) ?? '') as { steps: unknown[] }
    const steps = [...stored.steps, { kind: 'later' }]
    await redis.set('later:{T1:C1:1}:record', JSON.stringify({ ...stored, steps, later: 1 }), 'PX', DAY_MS)
    expect(await archive.load('T1:C1:1')).toEqual(record('1'))
  })
})

test('the answer says how a run ended', () => {
  const endOf = (answer: SavedRun['answer'], hasFailed = false) =>
    recordOf(question('1'), { ...freshRun(1), ...(answer ? { answer } : {}) }, { ...ENDING, hasFailed }).end
  const said = { text: 'x', sources: [] }
  expect(endOf(said)).toBe('answered')
  expect(endOf({ ...said, stopped: 'steps' })).toBe('answered')
  expect(endOf({ ...said, stopped: 'steps', gaveUp: true })).toBe('gave_up')
  expect(endOf({ ...said, stopped: 'stopped', gaveUp: true })).toBe('stopped')
  expect(endOf(said, true)).toBe('failed')
  expect(endOf(undefined, true)).toBe('failed')
})

test('data that is valid only during the run is not kept', () => {
  const asked = question('1', { responseUrl: 'https://hooks.example/secret', traceparent: '00-1-2-01' })
  expect(recordOf(asked, SAVED, ENDING).question).toEqual(question('1'))
})
