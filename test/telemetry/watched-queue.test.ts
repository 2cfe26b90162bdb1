import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { memoryQueue, type MemoryQueueOptions } from '../../src/queue/memory-queue.ts'
import type { Queue } from '../../src/queue/types.ts'
import { answerWatch } from '../../src/telemetry/open-observers.ts'
import { createTelemetry } from '../../src/telemetry/telemetry.ts'
import { Scrape } from '../harness/scrape.ts'
import { refOf } from '../queue/run-control-contract.ts'
import { deferred, eventually, question } from '../harness/stores.ts'

const log = createLog('silent')

/** Returns a measured queue, and its metrics. */
async function watched(queue: Queue) {
  const telemetry = (await createTelemetry(loadConfig({ METRICS_PORT: '0' }), log, Date.now))!
  const read = async () => new Scrape((await telemetry.pages['/metrics']!()).body)
  return { queue: telemetry.queue(queue), read }
}

function embedded(options: Partial<MemoryQueueOptions> = {}): Queue {
  return memoryQueue({ now: Date.now, log, backoffMs: 1, ...options })
}

test('a question that keeps failing is retried, then dead-lettered, and counted once', async () => {
  const { queue, read } = await watched(embedded({ maxFailures: 3 }))
  const told = deferred()
  await queue.start(
    () => Promise.reject(new Error('the store is away')),
    async () => told.resolve(),
  )
  await queue.accept(question('1.0'))
  await told.promise
  await eventually(async () =>
    expect((await read()).value('thinkaloud_questions_total', { outcome: 'given_up' })).toBe(1),
  )
  expect((await read()).value('thinkaloud_retries_total', { of: 'question' })).toBe(3)
  expect((await read()).value('thinkaloud_questions_total')).toBe(1)
})

test('a question that cannot be stored is counted as failed, and still not acked', async () => {
  const { queue, read } = await watched(embedded({ maxWaiting: 0 }))
  await expect(queue.accept(question('1.0'))).rejects.toThrow('The queue is full.')
  expect((await read()).value('thinkaloud_intake_total', { outcome: 'failed', surface: 'mention' })).toBe(1)
})

test('an empty question has no outcome', async () => {
  const { queue, read } = await watched(embedded())
  const done = deferred()
  await queue.start(async () => done.resolve())
  await queue.accept(question('1.0', { text: '' }))
  await done.promise
  await queue.stop(1_000)
  expect((await read()).value('thinkaloud_questions_total')).toBe(0)
})

test('depth and age cover waiting and running questions', async () => {
  const clock = { now: 100_000 }
  const { queue, read } = await watched(embedded({ concurrency: 1, now: () => clock.now }))
  const depth = async () => {
    const seen = await read()
    const [waiting, active] = ['waiting', 'active'].map((state) => seen.value('thinkaloud_queue_questions', { state }))
    return { waiting, active, age: seen.value('thinkaloud_queue_oldest_seconds') }
  }
  expect(await depth()).toEqual({ waiting: 0, active: 0, age: 0 })
  const first = deferred()
  await queue.start(() => first.promise)
  await queue.accept(question('1.0', { at: 60_000 }))
  await queue.accept(question('2.0', { at: 70_000 }))
  await queue.accept(question('3.0', { thread: '3.0', at: 80_000 }))
  expect(await depth()).toEqual({ waiting: 2, active: 1, age: 30 })
  first.resolve()
  await eventually(async () => expect(await depth()).toEqual({ waiting: 0, active: 0, age: 0 }))
})

test('a failing or hanging store leaves only a gap in the depth', async () => {
  for (const stats of [() => Promise.reject(new Error('away')), () => new Promise<never>(() => {})]) {
    const { read } = await watched(Object.assign(embedded(), { stats }))
    const seen = await read()
    expect(seen.value('thinkaloud_queue_questions', { state: 'waiting' })).toBeNaN()
    expect(seen.value('thinkaloud_queue_oldest_seconds')).toBeNaN()
    expect(seen.value('process_resident_memory_bytes')).toBeGreaterThan(0)
  }
})

test('the watched queue behaves like the queue', async () => {
  const { queue } = await watched(embedded())
  expect(await queue.accept(question('1.0'))).toBe('accepted')
  expect(await queue.accept(question('1.0'))).toBe('duplicate')
  expect(await queue.accept(question('2.0', { thread: '9.0' }), { onlyKnownThread: true })).toBe('unknown_thread')
  expect(await queue.stats()).toMatchObject({ waiting: 1, active: 0 })
  expect(await queue.ready()).toBe(true)
  await queue.stop(10)
  expect(await queue.ready()).toBe(false)
})

test('a suspended run is counted once, when it ends', async () => {
  const inner = memoryQueue({ now: Date.now, log, backoffMs: 1 })
  const telemetry = (await createTelemetry(loadConfig({ METRICS_PORT: '0' }), log, Date.now))!
  const watch = answerWatch({ telemetry, recorder: undefined }, Date.now)!
  const queue = telemetry.queue(inner)
  const read = async () => new Scrape((await telemetry.pages['/metrics']!()).body)
  await queue.start(async (_, run) => {
    const isDecided = run.saved.decisions[1] !== undefined
    const step = { kind: 'tool' as const, turn: 1, thought: '', action: { tool: 'x', input: 'y' } }
    const waits = { type: 'waiting' as const, n: 1, step: { ...step, waiting: { since: 1 } } }
    const ends = { type: 'answer' as const, text: 'Done.', sources: [] }
    const events = (async function* () {
      yield isDecided ? ends : waits
    })()
    for await (const event of watch.events(events, [])) if (event.type === 'waiting') return 'waiting'
  })
  const asked = question('1.0')
  await queue.accept(asked)
  await eventually(async () => expect((await queue.stats()).active).toBe(0))
  for (const outcome of ['answered', 'failed', 'undelivered', 'gave_up'])
    expect((await read()).value('thinkaloud_questions_total', { outcome })).toBe(0)
  expect((await read()).value('thinkaloud_retries_total', { of: 'question' })).toBe(0)
  await inner.control.resume(refOf(asked), '1', { outcome: 'allowed', by: 'U2', at: 1, key: 'k' })
  await eventually(async () =>
    expect((await read()).value('thinkaloud_questions_total', { outcome: 'answered' })).toBe(1),
  )
  await queue.stop(0)
})
