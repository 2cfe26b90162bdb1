import { expect, onTestFinished, test } from 'vitest'
import type { Handler, Queue } from '../../src/queue/types.ts'
import { deferred, eventually, question } from '../harness/stores.ts'

/**
 * The contract of every queue on its waiting lines, and on questions that leave them. `make` returns a fresh queue with
 * one slot.
 */
export function lineContract(make: () => Queue): void {
  const opened = async () => {
    const queue = make()
    onTestFinished(() => queue.stop(0))
    await eventually(async () => expect(await queue.ready()).toBe(true))
    return queue
  }
  /**
   * Returns a queue whose first question is in progress until `over` is resolved. `seen` are the names of the questions
   * that were handled.
   */
  const atWork = async (handler: Handler = async () => {}) => {
    const queue = await opened()
    const [begun, over] = [deferred(), deferred()]
    const seen: string[] = []
    await queue.start(async (asked, run, signal) => {
      seen.push(asked.ts ?? '')
      begun.resolve()
      if (asked.ts === '1') await over.promise
      return handler(asked, run, signal)
    })
    await queue.accept(question('1'))
    await begun.promise
    return { queue, over, seen }
  }
  const thread = 'T1:C1:1.0'

  test('a line has the question in progress and the waiting ones, in order', async () => {
    const { queue, over } = await atWork()
    for (const name of ['2', '3']) await queue.accept(question(name))
    await queue.accept(question('4', { thread: '2.0' }))
    expect(await queue.inThread(thread)).toEqual({ running: question('1'), waiting: [question('2'), question('3')] })
    expect(await queue.inThread('T1:C1:9.0')).toEqual({ waiting: [] })
    over.resolve()
    await eventually(async () => expect(await queue.inThread(thread)).toEqual({ waiting: [] }))
  })

  test('a line without a worker has no question in progress', async () => {
    const queue = await opened()
    await queue.accept(question('1'))
    expect(await queue.inThread(thread)).toEqual({ waiting: [question('1')] })
  })

  test('a withdrawn question does not run, and is not accepted again', async () => {
    const { queue, over, seen } = await atWork()
    for (const name of ['2', '3']) await queue.accept(question(name))
    expect(await queue.withdraw(thread, question('2').id)).toBe(true)
    expect(await queue.withdraw(thread, question('2').id)).toBe(false)
    expect((await queue.inThread(thread)).waiting).toEqual([question('3')])
    expect(await queue.accept(question('2'))).toBe('duplicate')
    expect(await queue.stats()).toMatchObject({ active: 1, waiting: 1 })
    over.resolve()
    await eventually(() => expect(seen).toEqual(['1', '3']))
  })

  test('a question that is in progress, finished or unknown cannot be withdrawn', async () => {
    const { queue, over } = await atWork()
    expect(await queue.withdraw(thread, question('1').id)).toBe(false)
    over.resolve()
    await eventually(async () => expect(await queue.stats()).toMatchObject({ active: 0, waiting: 0 }))
    expect(await queue.withdraw(thread, question('1').id)).toBe(false)
    expect(await queue.withdraw(thread, question('9').id)).toBe(false)
    expect(await queue.withdraw('T1:C1:9.0', question('1').id)).toBe(false)
  })

  test('a thread whose only question was withdrawn continues with the next one', async () => {
    const { queue, over, seen } = await atWork()
    const elsewhere = (name: string) => question(name, { thread: '2.0' })
    await queue.accept(elsewhere('2'))
    expect(await queue.withdraw('T1:C1:2.0', elsewhere('2').id)).toBe(true)
    expect(await queue.stats()).toMatchObject({ active: 1, waiting: 0 })
    over.resolve()
    await queue.accept(elsewhere('3'))
    await queue.accept(question('4'))
    await eventually(() => expect(seen.toSorted()).toEqual(['1', '3', '4']))
    await eventually(async () => expect(await queue.stats()).toMatchObject({ active: 0, waiting: 0 }))
  })

  test('a question whose run waits for a person is in the line, and blocks nobody', async () => {
    const { queue, over } = await atWork(async ({ ts }) => (ts === '1' ? 'waiting' : undefined))
    over.resolve()
    await eventually(async () =>
      expect(await queue.inThread(thread)).toEqual({ waiting: [], suspended: [question('1')] }),
    )
    expect(await queue.withdraw(thread, question('1').id)).toBe(false)
    expect(await queue.inThread('T1:C1:9.0')).toEqual({ waiting: [] })
  })

  test('a question that waits for a retry can be withdrawn', async () => {
    const { queue, over, seen } = await atWork(async ({ ts }) => {
      if (ts === '1') throw new Error('always')
    })
    await queue.accept(question('2'))
    over.resolve()
    await eventually(async () => expect(await queue.withdraw(thread, question('1').id)).toBe(true))
    await eventually(() => expect(seen).toContain('2'))
    await queue.accept(question('3'))
    await eventually(() => expect(seen.slice(-2)).toEqual(['2', '3']))
    await eventually(async () => expect(await queue.stats()).toMatchObject({ active: 0, waiting: 0 }))
  })

  test('forgetting a team drops its waiting and running questions, and no others', async () => {
    const [begun, ended] = [deferred(), deferred()]
    const queue = await opened()
    const seen: string[] = []
    await queue.start(async ({ ts, team }, run, signal) => {
      seen.push(ts ?? '')
      if (team !== 'T1') return
      begun.resolve()
      // Waits for the run's signal, or for a store that it no longer holds.
      try {
        while (!signal.aborted) {
          await run.save({ part: 'named', value: 'x' })
          await pause(10)
        }
      } finally {
        ended.resolve()
      }
    })
    await queue.accept(question('1'))
    await begun.promise
    await queue.accept(question('2'))
    await queue.accept(question('3', { team: 'T12' }))
    await queue.forgetTeam('T1')
    await ended.promise
    await eventually(() => expect(seen).toContain('3'))
    expect((await queue.inThread(thread)).waiting).toEqual([])
    expect(seen).not.toContain('2')
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
