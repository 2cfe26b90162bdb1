/** People's additions to a run in progress, with queues in memory and in Redis. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { memoryQueue } from '../../src/queue/memory-queue.ts'
import { redisQueue } from '../../src/queue/redis-queue.ts'
import type { ControlledQueue, Handler } from '../../src/queue/types.ts'
import { MAX_SIGNALS, type Signal } from '../../src/stores/runs/run-control.ts'
import { conversationOf, type Question, type Run } from '../../src/stores/runs/types.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { deferred, eventually, keptLog, question } from '../harness/stores.ts'

const times = { now: Date.now, concurrency: 2, graceMs: 50, backoffMs: 5 }
const MAYBE = { addition: 'maybe' } as const
const refOf = (asked: Question) => ({ thread: conversationOf(asked), id: asked.id })
const message = ({ id, user, text }: Question): Signal => ({ type: 'message', id, user, text })

/** Adds the step that a message becomes when the run reads it. */
async function hear(run: Run, { id, user, text }: Question): Promise<void> {
  await run.save({ part: 'step', n: run.saved.steps.length + 1, value: { kind: 'message', turn: 0, id, user, text } })
}

/** `make` returns two queues that share their data, or one: people reach the first, and the second works. */
function additionsContract(make: () => [front: ControlledQueue, worker: ControlledQueue]): void {
  /**
   * Starts a queue that works on question `1` until `over` is resolved, and then runs `handler`. Other questions run
   * `handler` at once.
   */
  const atWork = async (handler: Handler = async () => {}) => {
    const [front, worker] = make()
    for (const queue of new Set([front, worker])) {
      onTestFinished(() => queue.stop(0))
      await eventually(async () => expect(await queue.ready()).toBe(true))
    }
    const [begun, over] = [deferred(), deferred()]
    const seen: Question[] = []
    await worker.start(async (asked, run, signal) => {
      seen.push(asked)
      begun.resolve()
      if (asked.ts === '1.1') await over.promise
      return handler(asked, run, signal)
    })
    const one = asks('1.1')
    await front.accept(one)
    await begun.promise
    const isOver = () =>
      eventually(async () => expect(await front.stats()).toEqual({ active: 0, waiting: 0, oldestMs: 0 }))
    return { front, worker, over, seen, one, isOver, order: () => seen.map(({ ts }) => ts) }
  }
  const asks = (ts: string, more: Partial<Question> = {}) => question(ts, more)

  test('the asker’s message goes to the running run once, and is no question', async () => {
    const { front, worker, over, one, order, isOver } = await atWork(async (asked, run) => {
      if (asked.ts === '1.1') await hear(run, asks('1.2'))
    })
    const heard: Signal[] = []
    await worker.control.listen(refOf(one), (signal) => heard.push(signal))
    expect(await front.accept(asks('1.2'), MAYBE)).toBe('added')
    expect(await front.accept(asks('1.2'), MAYBE)).toBe('duplicate')
    expect(await front.accept({ ...asks('1.2'), id: 'T1:C1:1.3' }, MAYBE)).toBe('duplicate')
    await eventually(() => expect(heard).toEqual([message(asks('1.2'))]))
    expect(await front.inThread('T1:C1:1.0')).toEqual({ running: one, waiting: [] })
    over.resolve()
    await isOver()
    expect(order()).toEqual(['1.1'])
    expect(await front.accept(asks('1.2'))).toBe('duplicate')
    expect(await front.control.send(refOf(asks('1.2')), { type: 'stop', by: 'U1' })).toBe('not_running')
  })

  test('a message that no step contains when the run ends becomes a question, before later messages', async () => {
    const { front, over, seen, order, isOver } = await atWork(async (asked, run) => {
      if (asked.ts === '1.1') await hear(run, asks('1.2'))
    })
    expect(await front.accept(asks('1.2'), MAYBE)).toBe('added')
    expect(await front.accept(asks('1.4'), MAYBE)).toBe('added')
    expect(await front.accept(asks('1.3'), MAYBE)).toBe('added')
    expect(await front.accept(asks('1.5', { user: 'U2' }), MAYBE)).toBe('accepted')
    over.resolve()
    await eventually(() => expect(order()).toEqual(['1.1', '1.3', '1.4', '1.5']))
    expect(seen[1]).toEqual({ ...asks('1.3'), kind: 'addition' })
    await isOver()
    expect(await front.accept(asks('1.3'), MAYBE)).toBe('duplicate')
  })

  test.each<[string, Partial<Question>, object]>([
    ['about a message', { kind: 'about', about: '1.0' }, {}],
    ['a bot’s', { kind: 'bot', bot: 'B1' }, {}],
    [
      'edited, as 0.1.0 stored it',
      { id: 'T1:C1:1.3:1.4' },
      { kind: 'addition', original: { id: 'T1:C1:1.3', ts: '1.3' } },
    ],
  ])('an unread message keeps what it is: %s', async (_, fields, read) => {
    const { front, over, seen, isOver } = await atWork()
    const sent = asks('1.3', fields)
    expect(await front.accept(sent, MAYBE)).toBe('added')
    over.resolve()
    await eventually(() => expect(seen).toHaveLength(2))
    expect(seen[1]).toEqual({ ...sent, ...read })
    await isOver()
  })

  test('a process that dies between the answer and the end makes it one question', async () => {
    let attempts = 0
    const { front, over, order, isOver } = await atWork(async (asked, run) => {
      if (asked.ts !== '1.1') return
      await run.save({ part: 'answer', value: { text: 'x', sources: [] } })
      if (attempts++ === 0) throw new Error('The process died.')
    })
    expect(await front.accept(asks('1.2'), MAYBE)).toBe('added')
    over.resolve()
    await eventually(() => expect(order()).toEqual(['1.1', '1.1', '1.2']))
    await isOver()
    expect(order()).toHaveLength(3)
  })

  test('a message of another person, an earlier one, one under another root and one with a mention are questions', async () => {
    const { front, over, order } = await atWork()
    expect(await front.accept(asks('1.2', { user: 'U2' }), MAYBE)).toBe('accepted')
    expect(await front.accept(asks('0.9'), MAYBE)).toBe('accepted')
    expect(await front.accept(asks('1.3', { thread: '1.3', conversation: '1.0' }), MAYBE)).toBe('accepted')
    expect(await front.accept(asks('1.4'))).toBe('accepted')
    over.resolve()
    await eventually(() => expect(order()).toHaveLength(5))
  })

  test('a message for a waiting question is read when that begins; it goes to the person’s newest question', async () => {
    const heard: Signal[] = []
    const { front, worker, over, order, isOver } = await atWork(async (asked, run) => {
      if (asked.ts !== '1.2') return
      ;(await worker.control.listen(refOf(asked), (signal) => heard.push(signal)))()
      await hear(run, asks('1.3'))
    })
    await front.accept(asks('1.2'))
    expect(await front.accept(asks('1.3'), MAYBE)).toBe('added')
    over.resolve()
    await eventually(() => expect(heard).toEqual([message(asks('1.3'))]))
    await isOver()
    expect(order()).toEqual(['1.1', '1.2'])
  })

  test('a run with an answer, or with too many messages, gets no more', async () => {
    const [saved, over] = [deferred(), deferred()]
    const { front, order, ...first } = await atWork(async (asked, run) => {
      if (asked.ts !== '1.1') return
      await run.save({ part: 'answer', value: { text: 'x', sources: [] } })
      saved.resolve()
      await over.promise
    })
    for (let n = 0; n < MAX_SIGNALS; n++)
      await front.control.send(refOf(first.one), { ...message(first.one), id: `${n}` } as Signal)
    expect(await front.accept(asks('1.2'), MAYBE)).toBe('accepted')
    await front.withdraw('T1:C1:1.0', asks('1.2').id)
    first.over.resolve()
    await saved.promise
    expect(await front.accept(asks('1.3'), MAYBE)).toBe('accepted')
    over.resolve()
    await eventually(() => expect(order()).toEqual(['1.1', '1.3']))
  })

  test('a stop discards earlier additions; later messages are questions', async () => {
    const { front, over, order, one, isOver } = await atWork()
    expect(await front.accept(asks('1.2'), MAYBE)).toBe('added')
    expect(await front.control.send(refOf(one), { type: 'stop', by: 'U1' })).toBe('sent')
    expect(await front.accept(asks('1.3'), MAYBE)).toBe('accepted')
    over.resolve()
    await eventually(() => expect(order()).toEqual(['1.1', '1.3']))
    await isOver()
    expect(await front.accept(asks('1.2'))).toBe('duplicate')
  })

  test('additions to a question that is then edited go to the run that replaces it', async () => {
    const again = { ...asks('1.1'), id: 'T1:C1:1.1:1.9', eventId: 'Ev-edit', text: 'Edited?' }
    const heard: Signal[] = []
    const { front, worker, over, seen, one, isOver } = await atWork(async (asked, run) => {
      if (asked.id === one.id) return void (await hear(run, asks('1.2')), await worker.accept(again))
      ;(await worker.control.listen(refOf(asked), (signal) => heard.push(signal)))()
    })
    expect(await front.accept(asks('1.2'), MAYBE)).toBe('added')
    expect(await front.accept(asks('1.3'), MAYBE)).toBe('added')
    await front.control.send(refOf(one), { type: 'stop', by: 'U1', withdrawn: { again } })
    over.resolve()
    await eventually(() => expect(heard).toEqual([message(asks('1.2')), message(asks('1.3'))]))
    await isOver()
    // The run that replaced it did not turn them into steps.
    expect(seen.map(({ id }) => id)).toEqual([one.id, again.id, asks('1.2').id, asks('1.3').id])
  })

  test('a message that may only be added is not claimed without a run', async () => {
    const { front, over, order } = await atWork()
    expect(await front.accept(asks('1.2', { user: 'U2' }), { addition: 'only' })).toBe('unknown_thread')
    expect(await front.accept(asks('9.1', { thread: '9.0' }), { addition: 'only' })).toBe('unknown_thread')
    expect(await front.accept(asks('1.3'), { addition: 'only' })).toBe('added')
    expect(await front.accept(asks('1.2', { user: 'U2' }))).toBe('accepted')
    over.resolve()
    await eventually(() => expect(order().toSorted()).toEqual(['1.1', '1.2', '1.3']))
  })

  test('a question that has begun is not withdrawn if only unbegun ones may be', async () => {
    const { front, over, order } = await atWork(async ({ ts }) => {
      if (ts === '1.1') throw new Error('always')
    })
    await front.accept(asks('1.2'))
    await front.accept(asks('1.3'))
    expect(await front.withdraw('T1:C1:1.0', asks('1.2').id, { neverBegun: true })).toBe(true)
    over.resolve()
    await eventually(() => expect(order().length).toBeGreaterThan(1))
    expect(await front.withdraw('T1:C1:1.0', asks('1.1').id, { neverBegun: true })).toBe(false)
    await eventually(() => expect(order().at(-1)).toBe('1.3'))
  })
}

describe('additions in memory', () => {
  additionsContract(() => {
    const queue = memoryQueue({ log: keptLog(), ...times })
    return [queue, queue]
  })
})

describeWithRedis('additions in Redis', () => {
  const server = suiteRedis()
  let count = 0

  additionsContract(() => {
    const shared = { redis: { url: server.url }, prefix: `a${count++}`, ...times, lockMs: 60_000, acceptMs: 60_000 }
    return [redisQueue({ ...shared, log: keptLog(), role: 'front' }), redisQueue({ ...shared, log: keptLog() })]
  })
})
