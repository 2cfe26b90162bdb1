import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { memoryQueue } from '../../src/queue/memory-queue.ts'
import { deferred, eventually, keptLog, question } from '../harness/stores.ts'
import { queueContract } from './contract.ts'
import { conversationContract } from './dm-conversations.ts'
import { fairnessContract } from './fairness.ts'

// Vitest runs without --expose-gc. Without a collection, garbage would be measured too.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const quick = { now: Date.now, backoffMs: 5, graceMs: 50 }

describe('the embedded queue', () => {
  queueContract((settings) => memoryQueue({ log: keptLog(), ...quick, ...settings }))
  fairnessContract((settings) => memoryQueue({ log: keptLog(), ...quick, ...settings }))
  conversationContract((settings) => memoryQueue({ log: keptLog(), ...quick, ...settings }))

  test('accepts nothing while too many questions wait, and accepts again when they are answered', async () => {
    const queue = memoryQueue({ now: Date.now, log: keptLog(), maxWaiting: 2 })
    await queue.accept(question('1'))
    await queue.accept(question('2'))
    await expect(queue.accept(question('3'))).rejects.toThrow('The queue is full')
    expect(await queue.ready()).toBe(false)
    await queue.start(async () => {})
    await eventually(async () => expect(await queue.ready()).toBe(true))
    expect(await queue.accept(question('3'))).toBe('accepted')
    await queue.stop(0)
  })

  test('a question id is forgotten after some time, to bound the memory', async () => {
    let now = 0
    const queue = memoryQueue({ log: keptLog(), doneTtlMs: 1_000, now: () => now })
    await queue.accept(question('1'))
    now = 1_001
    expect(await queue.accept(question('1'))).toBe('accepted')
    await queue.stop(0)
  })

  test('a stop runs waiting questions with an aborted signal, so that people can be told', async () => {
    const queue = memoryQueue({ now: Date.now, log: keptLog(), concurrency: 1, graceMs: 50 })
    const begun = deferred()
    const told: string[] = []
    await queue.start(async ({ ts }, _run, signal) => {
      begun.resolve()
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      told.push(ts ?? '')
    })
    for (const name of ['1', '2', '3']) await queue.accept(question(name))
    await begun.promise
    const stopped = queue.stop(0)
    await expect(queue.accept(question('4'))).rejects.toThrow('stopping')
    await stopped
    expect(told).toEqual(['1', '2', '3'])
  })

  test('logs the number of unanswered questions at its end', async () => {
    const log = keptLog()
    const queue = memoryQueue({ now: Date.now, log })
    await queue.accept(question('1'))
    await queue.stop(0)
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'warn', fields: { questions: 1 } }))
  })

  test('never logs what people wrote', async () => {
    const log = keptLog()
    const queue = memoryQueue({ log, ...quick })
    await queue.start(async () => {
      throw new Error('broken')
    })
    await queue.accept(question('1', { text: 'my secret' }))
    await eventually(() => expect(log.lines).toHaveLength(3))
    await queue.stop(0)
    expect(JSON.stringify(log.lines)).not.toContain('secret')
  })

  test('does not grow over 2,000 questions in 2,000 threads', async () => {
    const bounds = { maxClaims: 100, maxKnown: 50 }
    const queue = memoryQueue({ now: Date.now, log: keptLog(), ...bounds })
    let answered = 0
    await queue.start(async () => void answered++)
    const grow = async (from: number) => {
      for (let n = from; n < from + 1_000; n++)
        await queue.accept(question(`${n}`, { thread: `${n}.0`, text: 'x'.repeat(20_000) }))
      await eventually(() => expect(answered).toBe(from + 1_000))
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const [before, after] = [await grow(0), await grow(1_000)]
    // A thousand questions in memory would be 20 MB.
    expect(after - before).toBeLessThan(10_000_000)
    await queue.stop(0)
  })
})
