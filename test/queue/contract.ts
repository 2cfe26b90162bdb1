import { expect, onTestFinished, test } from 'vitest'
import { LeaseLost } from '../../src/base/errors.ts'
import type { Handler, Queue } from '../../src/queue/types.ts'
import type { Question, Run, SavedRun } from '../../src/stores/runs/types.ts'
import { deferred, eventually, question, toolStep } from '../harness/stores.ts'

export interface QueueSettings {
  concurrency?: number
  now?: () => number
  knownTtlMs?: number
  dmMemoryMs?: number
  maxFailures?: number
  backoffMs?: number
}

/** The contract of every queue. `make` returns a fresh one with short pauses. */
export function queueContract(make: (settings?: QueueSettings) => Queue): void {
  const open = (settings?: QueueSettings): Queue => {
    const queue = make(settings)
    onTestFinished(() => queue.stop(0))
    return queue
  }
  /** Returns a queue whose handler only records its questions. */
  const recording = async (settings?: QueueSettings) => {
    const queue = open(settings)
    const seen: string[] = []
    await eventually(async () => expect(await queue.ready()).toBe(true))
    await queue.start(async ({ ts }) => void seen.push(ts ?? ''))
    return { queue, seen }
  }
  const opened = async (settings?: QueueSettings) => {
    const queue = open(settings)
    await eventually(async () => expect(await queue.ready()).toBe(true))
    return queue
  }

  test('a question is handed out once, however often it is delivered', async () => {
    const { queue, seen } = await recording()
    expect(await queue.accept(question('1'))).toBe('accepted')
    expect(await queue.accept(question('1'))).toBe('duplicate')
    await eventually(() => expect(seen).toEqual(['1']))
    expect(await queue.accept(question('1'))).toBe('duplicate')
    await queue.accept(question('2'))
    await eventually(() => expect(seen).toEqual(['1', '2']))
  })

  test('a late question runs in the order of its message, but not before a question in progress', async () => {
    const queue = await opened()
    const [begun, over] = [deferred(), deferred()]
    const seen: string[] = []
    await queue.start(async ({ ts = '' }) => {
      seen.push(ts)
      begun.resolve()
      await over.promise
    })
    await queue.accept(question('1700000002.000100'))
    await begun.promise
    for (const late of ['5.000100', '3.000200', '4.000100', '1.000100', '3.000100'])
      await queue.accept(question(`170000000${late}`))
    over.resolve()
    const order = ['2.000100', '1.000100', '3.000100', '3.000200', '4.000100', '5.000100']
    await eventually(() => expect(seen).toEqual(order.map((ts) => `170000000${ts}`)))
  })

  test('an edited question runs in the order of its message', async () => {
    const queue = await opened()
    const over = deferred()
    const seen: string[] = []
    const first = question('1700000001.000100')
    const edit = { text: 'Edited?', eventId: 'Ev-edit' }
    const edited = { ...first, ...edit, id: `${first.id}:1700000009.000100` }
    await queue.start(async ({ id, text }) => {
      seen.push(text)
      if (id !== first.id) return
      await over.promise
      await queue.accept(edited)
    })
    const later = [question('1700000002.000100'), question('1700000010.000100')]
    for (const asked of [first, ...later]) await queue.accept(asked)
    over.resolve()
    await eventually(() => expect(seen).toEqual([first.text, 'Edited?', ...later.map(({ text }) => text)]))
  })

  test('the order is that of the messages, whatever the ids say; a question without a message waits for its turn', async () => {
    const queue = await opened()
    const [begun, over] = [deferred(), deferred()]
    const seen: string[] = []
    await queue.start(async ({ text }) => {
      seen.push(text)
      begun.resolve()
      await over.promise
    })
    await queue.accept(question('1700000005.000100', { text: 'at work' }))
    await begun.promise
    await queue.accept(question('1700000007.000100', { id: 'opaque', text: 'later' }))
    await queue.accept(question('1700000006.000100', { id: 'T1:C1:1700000009.000100', text: 'earlier' }))
    const original = { id: 'T1:C1:1700000001.000100', ts: '1700000001.000100' }
    const repeated = { id: `${original.id}:again-U2-1`, ts: undefined, original, isRepeat: true, eventId: 'Ev-again' }
    await queue.accept(question('again', { ...repeated, text: 'repeated' }))
    over.resolve()
    await eventually(() => expect(seen).toEqual(['at work', 'earlier', 'later', 'repeated']))
  })

  test('of two deliveries at the same moment one is a duplicate', async () => {
    const { queue, seen } = await recording()
    const results = await Promise.all(['a', 'a', 'a'].map((name) => queue.accept(question(name))))
    expect(results.sort()).toEqual(['accepted', 'duplicate', 'duplicate'])
    await queue.accept(question('last'))
    await eventually(() => expect(seen).toEqual(['a', 'last']))
  })

  test('the same message under two event ids is one question', async () => {
    const { queue, seen } = await recording()
    expect(await queue.accept(question('1', { eventId: 'Ev1' }))).toBe('accepted')
    expect(await queue.accept(question('1', { eventId: 'Ev2' }))).toBe('duplicate')
    await eventually(() => expect(seen).toEqual(['1']))
  })

  test('a known event id is not accepted under another question id', async () => {
    const { queue } = await recording()
    await queue.accept(question('1', { eventId: 'Ev1' }))
    expect(await queue.accept(question('2', { eventId: 'Ev1' }))).toBe('duplicate')
  })

  test('a question comes out as it went in, whatever the caller changes later', async () => {
    const queue = await opened()
    const asked = question('1', { text: 'über "quotes", \u2028 and 🦉', responseUrl: 'http://127.0.0.1/x' })
    const before = structuredClone(asked)
    await queue.accept(asked)
    asked.text = 'changed'
    const got: Question[] = []
    await queue.start(async (q) => void got.push(q))
    await eventually(() => expect(got).toEqual([before]))
  })

  test('a thread in which the bot was never asked is unknown, and its message is not claimed', async () => {
    const { queue, seen } = await recording()
    expect(await queue.accept(question('1'), { onlyKnownThread: true })).toBe('unknown_thread')
    expect(await queue.accept(question('1'))).toBe('accepted')
    expect(await queue.accept(question('2'), { onlyKnownThread: true })).toBe('accepted')
    expect(await queue.accept(question('3', { thread: '2.0' }), { onlyKnownThread: true })).toBe('unknown_thread')
    expect(await queue.accept(question('4', { channel: 'C2' }), { onlyKnownThread: true })).toBe('unknown_thread')
    await eventually(() => expect(seen).toEqual(['1', '2']))
  })

  test('a thread in which all questions were refused is unknown; one accepted question makes it known', async () => {
    const seen: string[] = []
    const queue = await opened()
    await queue.start(async ({ ts = '', user }) => {
      seen.push(ts)
      if (user === 'U9') return 'refused'
    })
    const refused = { user: 'U9' }
    const isKnown = async (name: string, overrides = {}) =>
      (await queue.accept(question(name, overrides), { onlyKnownThread: true })) === 'accepted'
    const all = (count: number) =>
      eventually(async () => expect([seen.length, (await queue.stats()).active]).toEqual([count, 0]))
    for (const name of ['1', '2']) await queue.accept(question(name, refused))
    await all(2)
    expect(await isKnown('3')).toBe(false)
    await queue.accept(question('4'))
    await all(3)
    expect(await isKnown('5', refused)).toBe(true)
    await all(4)
    expect(await isKnown('6')).toBe(true)
  })

  test('a thread is forgotten some time after its last question', async () => {
    let now = 1_000_000
    const queue = await opened({ now: () => now, knownTtlMs: 1_000 })
    await queue.accept(question('1'))
    now += 900
    expect(await queue.accept(question('2'), { onlyKnownThread: true })).toBe('accepted')
    now += 900
    expect(await queue.accept(question('3'), { onlyKnownThread: true })).toBe('accepted')
    now += 1_100
    expect(await queue.accept(question('4'), { onlyKnownThread: true })).toBe('unknown_thread')
  })

  test('a slash command’s question is accepted again under its new thread, once', async () => {
    const { queue, seen } = await recording()
    const asked = question('ask-1', { thread: 'T1:C1:ask-1', surface: 'ask' })
    expect(await queue.accept(asked)).toBe('accepted')
    const rooted = { ...asked, thread: '9.0', ts: 'rooted' }
    expect(await queue.accept(rooted)).toBe('accepted')
    expect(await queue.accept(rooted)).toBe('duplicate')
    expect(await queue.accept(question('2', { thread: '9.0' }), { onlyKnownThread: true })).toBe('accepted')
    await eventually(() => expect(seen).toHaveLength(3))
    expect(seen.filter((ts) => ts !== 'ask-1')).toEqual(['rooted', '2'])
  })

  test('a thread’s questions run in order and one at a time; threads run side by side', async () => {
    const queue = await opened({ concurrency: 8 })
    const running = new Map<string, number>()
    const order = new Map<string, string[]>()
    let [most, mostInThread] = [0, 0]
    const allAtWork = deferred()
    for (let n = 0; n < 5; n++)
      for (const thread of ['1.0', '2.0', '3.0']) await queue.accept(question(`${thread}-${n}`, { thread }))
    await queue.start(async ({ thread, ts }) => {
      running.set(thread, (running.get(thread) ?? 0) + 1)
      mostInThread = Math.max(mostInThread, ...running.values())
      most = Math.max(
        most,
        [...running.values()].reduce((a, b) => a + b),
      )
      if (most === 3) allAtWork.resolve()
      await allAtWork.promise
      await new Promise((resolve) => setTimeout(resolve, 15))
      order.set(thread, [...(order.get(thread) ?? []), ts ?? ''])
      running.set(thread, (running.get(thread) ?? 0) - 1)
    })
    await eventually(() => expect([...order.values()].flat()).toHaveLength(15))
    for (const [thread, seen] of order) expect(seen).toEqual([0, 1, 2, 3, 4].map((n) => `${thread}-${n}`))
    expect(mostInThread).toBe(1)
    expect(most).toBe(3)
  })

  test('no more than `concurrency` questions run at once', async () => {
    const queue = await opened({ concurrency: 2 })
    let [running, most, done] = [0, 0, 0]
    const bothAtWork = deferred()
    for (let n = 0; n < 6; n++) await queue.accept(question(`${n}`, { thread: `${n}.0` }))
    await queue.start(async () => {
      most = Math.max(most, ++running)
      if (most === 2) bothAtWork.resolve()
      await bothAtWork.promise
      await new Promise((resolve) => setTimeout(resolve, 15))
      running -= 1
      done += 1
    })
    await eventually(() => expect(done).toBe(6))
    expect(most).toBe(2)
  })

  test('a failed handler is called again, with its saved run', async () => {
    const queue = await opened()
    const runs: SavedRun[] = []
    await queue.start(async (_, run) => {
      runs.push(structuredClone(run.saved))
      await run.save(
        { part: 'standalone', value: 'What is that?' },
        { part: 'spoken', value: '{' },
        { part: 'memory', value: { page: [1, { a: '}' }] } },
      )
      await run.save({ part: 'step', n: 1, value: toolStep(1) })
      if ((await run.claimPost('step-1')) === 'fresh') await run.posted('step-1', '5.5')
      await run.claimPost('answer-1')
      if (runs.length === 1) throw new Error('once')
    })
    await queue.accept(question('1'))
    await eventually(() => expect(runs).toHaveLength(2))
    expect(runs[0]).toMatchObject({ steps: [], memory: {}, posts: {}, usage: [], attempts: 1 })
    expect(runs[1]).toMatchObject({
      standalone: 'What is that?',
      spoken: '{',
      memory: { page: [1, { a: '}' }] },
      steps: [toolStep(1)],
      posts: { 'step-1': '5.5', 'answer-1': '' },
      attempts: 2,
    })
    expect(runs[1]?.startedAt).toBe(runs[0]?.startedAt)
  })

  test('a post is fresh once, unsure until it is recorded, and then known', async () => {
    const queue = await opened()
    const claims: unknown[] = []
    await queue.start(async (_, run) => {
      claims.push(await run.claimPost('root'), await run.claimPost('root'))
      await run.posted('root', '7.7')
      claims.push(await run.claimPost('root'), await run.claimPost('step-1'))
    })
    await queue.accept(question('1'))
    await eventually(() => expect(claims).toEqual(['fresh', 'unsure', { ts: '7.7' }, 'fresh']))
  })

  test('saves and claims at the same moment are all stored, and one of two claims is fresh', async () => {
    const queue = await opened()
    const seen: unknown[] = []
    await queue.start(async (_, run) => {
      if (run.saved.attempts === 1) {
        const step = { kind: 'tool' as const, turn: 1, thought: 'hm', action: { tool: 'x', input: 'y' } }
        const [, first, second] = await Promise.all([
          run.save({ part: 'step', n: 1, value: step }),
          run.claimPost('step-1'),
          run.claimPost('step-1'),
          run.posted('root', '7.7'),
        ])
        seen.push(first, second)
        throw new Error('again')
      }
      seen.push(run.saved.steps.length, run.saved.posts)
    })
    await queue.accept(question('1'))
    await eventually(() => expect(seen).toEqual(['fresh', 'unsure', 1, { 'step-1': '', root: '7.7' }]))
  })

  test('a holder can check its lease, at once and later', async () => {
    const queue = await opened()
    const looks: unknown[] = []
    await queue.start(async (_, run) => {
      looks.push(await run.checkLease())
      await new Promise((resolve) => setTimeout(resolve, 500))
      looks.push(await run.checkLease())
    })
    await queue.accept(question('1'))
    await eventually(() => expect(looks).toEqual([undefined, undefined]))
  })

  test('a step that is saved again replaces the first; usage and the answer are kept', async () => {
    const queue = await opened()
    const runs: SavedRun[] = []
    const usage = { model: 'm', inputTokens: 1, outputTokens: 2, estimated: false }
    await queue.start(async (_, run) => {
      runs.push(structuredClone(run.saved))
      if (runs.length > 1) return
      await run.save({ part: 'step', n: 1, value: toolStep(1) })
      const observation = { text: 'o', ok: true }
      await run.save({ part: 'step', n: 1, value: toolStep(1, { observation }) }, { part: 'usage', n: 1, value: usage })
      await run.save({ part: 'answer', value: { text: '42', sources: [] } })
      throw new Error('once')
    })
    await queue.accept(question('1'))
    await eventually(() => expect(runs).toHaveLength(2))
    expect(runs[1]?.steps).toEqual([toolStep(1, { observation: { text: 'o', ok: true } })])
    expect(runs[1]?.usage).toEqual([usage])
    expect(runs[1]?.answer).toEqual({ text: '42', sources: [] })
  })

  test('a question that always fails is dead-lettered after its tries, and the thread continues', async () => {
    const queue = await opened({ maxFailures: 3 })
    const seen: string[] = []
    const handler: Handler = async ({ ts }) => {
      seen.push(`try ${ts}`)
      if (ts === 'bad') throw new Error('always')
    }
    await queue.start(handler, async ({ ts }, run) => void seen.push(`give up ${ts}: ${await run.claimPost('sorry')}`))
    await queue.accept(question('bad'))
    await queue.accept(question('good'))
    await eventually(() => expect(seen).toContain('try good'))
    expect(seen).toEqual(['try bad', 'try bad', 'try bad', 'give up bad: fresh', 'try good'])
  })

  test('dead-lettering is tried a few times if it fails, and then the thread continues', async () => {
    const queue = await opened({ maxFailures: 1 })
    const seen: string[] = []
    const handler: Handler = async ({ ts }) => {
      seen.push(`try ${ts}`)
      if (ts === 'bad') throw new Error('always')
    }
    await queue.start(handler, async () => {
      seen.push('give up')
      throw new Error('Slack is away')
    })
    await queue.accept(question('bad'))
    await queue.accept(question('good'))
    await eventually(() => expect(seen).toContain('try good'))
    expect(seen).toEqual(['try bad', 'give up', 'give up', 'give up', 'try good'])
  })

  test('a failing question delays only its own thread', async () => {
    const queue = await opened({ concurrency: 1, backoffMs: 200 })
    const seen: string[] = []
    await queue.accept(question('bad'))
    await queue.accept(question('behind'))
    await queue.accept(question('beside', { thread: '2.0' }))
    await queue.start(async ({ ts }) => {
      seen.push(ts ?? '')
      if (ts === 'bad') throw new Error('always')
    })
    await eventually(() => expect(seen).toContain('behind'))
    expect(seen.indexOf('beside')).toBeLessThan(seen.lastIndexOf('bad'))
  })

  test('stop lets running questions finish, and starts others only as aborted', async () => {
    const queue = await opened({ concurrency: 1 })
    const [begun, finish] = [deferred(), deferred()]
    const seen: string[] = []
    await queue.start(async ({ ts }, _, signal) => {
      begun.resolve()
      await finish.promise
      seen.push(`${ts} ${signal.aborted}`)
    })
    await queue.accept(question('1'))
    await queue.accept(question('2', { thread: '2.0' }))
    await begun.promise
    const stopped = queue.stop(20_000)
    expect(await queue.ready()).toBe(false)
    finish.resolve()
    await stopped
    // A queue in memory runs waiting questions with an aborted signal when it stops, so that people can be told.
    expect(seen.filter((line) => line.endsWith('false'))).toEqual(['1 false'])
  })

  test('stop aborts a question that does not end in time, and a handler that ignores it loses its run', async () => {
    const queue = await opened()
    const late = deferred<Run>()
    let wasAborted = false
    await queue.start(async (_, run, signal) => {
      signal.addEventListener('abort', () => (wasAborted = true))
      late.resolve(run)
      await new Promise(() => {})
    })
    await queue.accept(question('1'))
    const run = await late.promise
    await queue.stop(20)
    expect(wasAborted).toBe(true)
    await expect(run.claimPost('answer-1')).rejects.toThrow()
  })

  test('a handler that stop aborts gets LeaseLost', async () => {
    const queue = await opened()
    const begun = deferred()
    const outcome = deferred<unknown>()
    await queue.start(async (_question, _run, signal) => {
      begun.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      outcome.resolve(signal.reason)
      throw signal.reason
    })
    await queue.accept(question('1'))
    await begun.promise
    await queue.stop(0)
    expect(await outcome.promise).toBeInstanceOf(LeaseLost)
  })
}
