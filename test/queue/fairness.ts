import { expect, onTestFinished, test } from 'vitest'
import type { Handler, Queue } from '../../src/queue/types.ts'
import type { Question } from '../../src/stores/runs/types.ts'
import { deferred, eventually, question } from '../harness/stores.ts'
import type { QueueSettings } from './contract.ts'

/** The contract of every queue on the order of turns, and on the figures about waiting questions. */
export function fairnessContract(make: (settings?: QueueSettings) => Queue): void {
  const opened = async (settings?: QueueSettings) => {
    const queue = make(settings)
    onTestFinished(() => queue.stop(0))
    await eventually(async () => expect(await queue.ready()).toBe(true))
    return queue
  }

  test('a noisy channel does not starve another', async () => {
    const queue = await opened({ concurrency: 1 })
    for (let n = 0; n < 20; n++) await queue.accept(question(`noise-${n}`, { thread: `${n}.0` }))
    await queue.accept(question('quiet', { channel: 'C2' }))
    const seen: string[] = []
    await queue.start(async ({ ts }) => void seen.push(ts ?? ''))
    await eventually(() => expect(seen).toHaveLength(21))
    expect(seen.indexOf('quiet')).toBeLessThan(3)
  })

  test('people’s questions run before scheduled ones, however many are due', async () => {
    const queue = await opened({ concurrency: 1 })
    const due = (n: number) => {
      const schedule = { id: `${n}`, kind: 'due', at: 0, when: 'Every day' } as const
      return queue.accept(question(`due-${n}`, { channel: `C${n % 5}`, thread: `${n}.0`, schedule }))
    }
    for (let n = 0; n < 30; n++) await due(n)
    await queue.accept(question('first', { channel: 'C9' }))
    const seen: string[] = []
    await queue.start(async ({ ts }) => {
      seen.push(ts ?? '')
      if (seen.length === 5) await queue.accept(question('second', { channel: 'C1', thread: '99.0' }))
    })
    await eventually(() => expect(seen).toHaveLength(32))
    expect(seen.indexOf('first')).toBeLessThan(2)
    expect(seen.indexOf('second')).toBeLessThan(8)
  })

  test('with thirty waiting questions of one workspace, another workspace’s first is always among the next ten', async () => {
    const queue = await opened({ concurrency: 1 })
    const seen: string[] = []
    const gates = [deferred(), deferred()]
    await queue.start(async ({ team, ts }) => {
      if (ts?.startsWith('held')) await gates[Number(ts.at(-1))]?.promise
      seen.push(team)
    })
    for (const round of [0, 1]) {
      await queue.accept(question(`held-${round}`, { channel: 'CHELD' }))
      for (let n = 0; n < 30; n++)
        await queue.accept(question(`many-${round}-${n}`, { channel: `C${n}`, thread: `${round}${n}.0` }))
      await queue.accept(question(`few-${round}`, { team: 'T2', channel: 'CQUIET', thread: `${round}.5` }))
      const before = seen.length
      gates[round]?.resolve()
      await eventually(() => expect(seen).toHaveLength(before + 32))
      // The first one is the held question.
      expect(seen.slice(before + 1).indexOf('T2')).toBeLessThan(10)
    }
  })

  test('a channel with thirty questions and two channels that ask one by one get a third each', async () => {
    const queue = await opened({ concurrency: 1 })
    const seen: string[] = []
    const ask = (channel: string, n: number) => queue.accept(question(`${channel}-${n}`, { channel, thread: `${n}.0` }))
    const allAsked = deferred()
    await queue.start(async ({ channel }) => {
      await allAsked.promise
      seen.push(channel)
      if (channel !== 'CA' && seen.length < 120) await ask(channel, seen.length)
    })
    await Promise.all(Array.from({ length: 30 }, (_, n) => ask('CA', n)))
    await Promise.all([ask('CB', -1), ask('CC', -1)])
    allAsked.resolve()
    await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(120))
    const share = (channel: string) => seen.slice(0, 60).filter((one) => one === channel).length
    for (const channel of ['CA', 'CB', 'CC']) expect(share(channel)).toBeGreaterThanOrEqual(15)
    expect(seen.filter((one) => one === 'CA')).toHaveLength(30)
  })

  test('a burst of one channel does not delay later questions of others', async () => {
    const queue = await opened({ concurrency: 1 })
    const burst = Array.from({ length: 30 }, (_, n) => question(`burst-${n}`, { thread: `${n}.0` }))
    await Promise.all(burst.map((one) => queue.accept(one)))
    const quiet = Array.from({ length: 3 }, (_, n) => question(`quiet-${n}`, { channel: 'C2', thread: `${n}.0` }))
    await Promise.all(quiet.map((one) => queue.accept(one)))
    const seen: string[] = []
    await queue.start(async ({ channel }) => void seen.push(channel))
    await eventually(() => expect(seen).toHaveLength(33))
    expect(seen.lastIndexOf('C2')).toBeLessThan(10)
  })

  test('a silent channel gets no credit', async () => {
    const queue = await opened({ concurrency: 1 })
    const seen: string[] = []
    let gate = deferred()
    await queue.start(async ({ channel }) => {
      seen.push(channel)
      await gate.promise
    })
    gate.resolve()
    for (let n = 0; n < 15; n++) {
      await queue.accept(question(`early-${n}`, { channel: 'CA', thread: `${n}.0` }))
      await eventually(() => expect(seen).toHaveLength(n + 1))
    }
    gate = deferred()
    await queue.accept(question('held', { channel: 'CA' }))
    await eventually(() => expect(seen).toHaveLength(16))
    for (let n = 0; n < 10; n++)
      for (const channel of ['CB', 'CA']) await queue.accept(question(`late-${n}`, { channel, thread: `${n}.5` }))
    gate.resolve()
    await eventually(() => expect(seen).toHaveLength(36))
    expect(seen.slice(16, 26).filter((one) => one === 'CA').length).toBeGreaterThanOrEqual(4)
  })

  test('a busy thread does not delay other threads of its channel', async () => {
    const queue = await opened({ concurrency: 1 })
    for (let n = 0; n < 10; n++) await queue.accept(question(`talk-${n}`))
    for (let n = 0; n < 5; n++) await queue.accept(question(`other-${n}`, { thread: `${n + 2}.0` }))
    const seen: string[] = []
    await queue.start(async ({ ts }) => void seen.push(ts ?? ''))
    await eventually(() => expect(seen).toHaveLength(15))
    for (let n = 0; n < 5; n++) expect(seen.indexOf(`other-${n}`)).toBeLessThan(8)
  })

  /** Returns a queue that works on one question until the test ends it. */
  const holding = async (now: number) => {
    const queue = await opened({ concurrency: 1, now: () => now })
    const [begun, free] = [deferred(), deferred()]
    const handler: Handler = async () => {
      begun.resolve()
      await free.promise
    }
    await queue.start(handler)
    const stats = () => queue.stats()
    return { queue, begun, free, stats }
  }
  const accept = async (queue: Queue, ...questions: Question[]) => {
    for (const one of questions) await queue.accept(one)
  }

  test('waiting questions are counted, including those behind the first of their thread, with the oldest’s age', async () => {
    const { queue, begun, free, stats } = await holding(100_000)
    expect(await stats()).toEqual({ waiting: 0, active: 0, oldestMs: 0 })
    await accept(queue, question('0', { at: 10_000 }))
    await begun.promise
    for (let n = 1; n <= 5; n++) await accept(queue, question(`${n}`, { at: 30_000 + n }))
    await eventually(async () => expect(await stats()).toEqual({ waiting: 5, active: 1, oldestMs: 69_999 }))
    await accept(queue, question('beside', { thread: '2.0', at: 20_000 }))
    expect(await stats()).toEqual({ waiting: 6, active: 1, oldestMs: 80_000 })
    expect(await queue.accept(question('5'))).toBe('duplicate')
    expect(await stats()).toMatchObject({ waiting: 6 })
    free.resolve()
    await eventually(async () => expect(await stats()).toEqual({ waiting: 0, active: 0, oldestMs: 0 }))
  })

  test('a slash command’s question waits a second time, in its new thread', async () => {
    const queue = await opened({ concurrency: 1, now: () => 100_000 })
    const asked = question('ask-1', { thread: 'T1:C1:ask-1', surface: 'ask', at: 40_000 })
    const [rooted, free] = [deferred(), deferred()]
    await queue.start(async (one) => {
      if (one.thread === '9.0') return
      await queue.accept({ ...one, thread: '9.0' })
      rooted.resolve()
      await free.promise
    })
    await queue.accept(asked)
    await rooted.promise
    await eventually(async () => expect(await queue.stats()).toEqual({ waiting: 1, active: 1, oldestMs: 60_000 }))
    free.resolve()
    await eventually(async () => expect(await queue.stats()).toEqual({ waiting: 0, active: 0, oldestMs: 0 }))
  })
}
