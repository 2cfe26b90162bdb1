import { expect, onTestFinished, test } from 'vitest'
import type { ControlledQueue, Handler } from '../../src/queue/types.ts'
import { MAX_SIGNALS, type RunControl, type RunRef, type Signal } from '../../src/stores/runs/run-control.ts'
import { conversationOf, type Question, type Run, type SavedRun } from '../../src/stores/runs/types.ts'
import { undecidedSteps } from '../../src/stores/runs/wait-keys.ts'
import { deferred, eventually, question, toolStep } from '../harness/stores.ts'

export interface ControlSettings {
  concurrency?: number
  now?: () => number
  suspendedMs?: number
  sweepMs?: number
}

/** A queue that answers, and a control of its runs, from another process if possible. */
export interface Controlled {
  queue: ControlledQueue
  control: RunControl
}

export const refOf = (asked: Question): RunRef => ({ thread: conversationOf(asked), id: asked.id })

const ALLOWED = { outcome: 'allowed', by: 'U2', at: 1, key: 'k' } as const
const STOP: Signal = { type: 'stop', by: 'U2' }
const message = (id: string): Signal => ({ type: 'message', id, user: 'U2', text: `${id} \u2028 "é"` })

/** Marks the first step as waiting for a person, since then. */
export async function askForApproval(run: Run, since = Date.now()): Promise<'waiting'> {
  await run.save({ part: 'step', n: 1, value: toolStep(1, { waiting: { since } }) })
  return 'waiting'
}

/** The contract of every control of runs. `make` returns a fresh queue. */
export function runControlContract(make: (settings?: ControlSettings) => Promise<Controlled>): void {
  const opened = async (handler: Handler, settings?: ControlSettings) => {
    const { queue, control } = await make(settings)
    onTestFinished(() => queue.stop(0))
    await eventually(async () => expect(await queue.ready()).toBe(true))
    await queue.start(handler)
    return { queue, control }
  }
  /** Runs questions that wait for a decision. `seen` are their runs, by name. */
  const waiting = async (names: string[], settings?: ControlSettings) => {
    const seen: [name: string, saved: SavedRun][] = []
    const parts = await opened(async ({ ts = '' }, run) => {
      seen.push([ts, structuredClone(run.saved)])
      if (names.includes(ts) && Object.keys(run.saved.decisions).length === 0)
        return askForApproval(run, settings?.now?.())
    }, settings)
    const order = () => seen.map(([name]) => name)
    const isSuspended = async (count: number) => {
      await eventually(() => expect(seen).toHaveLength(count))
      await eventually(async () => expect(await parts.queue.stats()).toMatchObject({ active: 0, waiting: 0 }))
    }
    return { ...parts, seen, order, isSuspended: isSuspended }
  }

  test('a running run gets its own signals in order', async () => {
    const heard: Signal[] = []
    const [begun, over] = [deferred(), deferred()]
    const { queue, control } = await opened(async (asked) => {
      const end = await queue.control.listen(refOf(asked), (signal) => heard.push(signal))
      if (asked.ts === '1') begun.resolve()
      await over.promise
      end()
    })
    await queue.accept(question('1'))
    await begun.promise
    await queue.accept(question('2'))
    expect(await control.send(refOf(question('1')), message('m1'))).toBe('sent')
    expect(await control.send(refOf(question('1')), STOP)).toBe('sent')
    await eventually(() => expect(heard).toHaveLength(2))
    expect(heard).toEqual([message('m1'), STOP])
    over.resolve()
  })

  test('a signal sent while nobody works on the run reaches each worker that takes it up', async () => {
    const heard: Signal[][] = []
    const over = deferred()
    const { queue, control } = await opened(async (asked) => {
      if (asked.ts !== '2') return over.promise
      const mine: Signal[] = []
      const end = await queue.control.listen(refOf(asked), (signal) => mine.push(signal))
      heard.push([...mine])
      end()
      if (heard.length === 1) throw new Error('once')
    })
    await queue.accept(question('1'))
    await queue.accept(question('2'))
    expect(await control.send(refOf(question('2')), message('m1'))).toBe('sent')
    expect(await control.send(refOf(question('2')), message('m1'))).toBe('sent')
    expect(await control.send(refOf(question('2')), STOP)).toBe('sent')
    over.resolve()
    await eventually(() => expect(heard).toEqual([1, 2].map(() => [message('m1'), STOP])))
  })

  test('a signal to a run that has ended, has its answer or is unknown is refused', async () => {
    const [saved, over] = [deferred(), deferred()]
    const { queue, control } = await opened(async (_, run) => {
      await run.save({ part: 'answer', value: { text: 'x', sources: [] } })
      saved.resolve()
      await over.promise
    })
    expect(await control.send(refOf(question('1')), STOP)).toBe('not_running')
    expect(await control.resume(refOf(question('1')), '1', ALLOWED)).toBe('not_running')
    await queue.accept(question('1'))
    await saved.promise
    expect(await control.send(refOf(question('1')), STOP)).toBe('not_running')
    expect(await control.resume(refOf(question('1')), '1', ALLOWED)).toBe('not_running')
    over.resolve()
    await eventually(async () => expect((await queue.stats()).active).toBe(0))
    expect(await control.resume(refOf(question('1')), '1', ALLOWED)).toBe('not_running')
    expect(await control.send(refOf(question('1')), message('m'))).toBe('not_running')
  })

  test('the number of stored messages is limited, but a stop is always stored', async () => {
    const over = deferred()
    const { queue, control } = await opened(() => over.promise)
    await queue.accept(question('1'))
    for (let n = 0; n < MAX_SIGNALS; n++)
      expect(await control.send(refOf(question('1')), message(`m${n}`))).toBe('sent')
    expect(await control.send(refOf(question('1')), message('one more'))).toBe('full')
    expect(await control.send(refOf(question('1')), STOP)).toBe('sent')
    over.resolve()
  })

  test('a suspended run blocks nobody and uses no slot', async () => {
    const { queue, order, isSuspended: isSuspended } = await waiting(['1'], { concurrency: 1 })
    await queue.accept(question('1'))
    await queue.accept(question('2'))
    await queue.accept(question('3', { thread: '2.0' }))
    await isSuspended(3)
    expect(order().toSorted()).toEqual(['1', '2', '3'])
    expect(await queue.accept(question('1'))).toBe('duplicate')
    expect(await queue.stats()).toEqual({ active: 0, waiting: 0, oldestMs: 0 })
  })

  test('a decision resumes it once with its saved state; the first decision counts', async () => {
    const { queue, control, seen, isSuspended: isSuspended } = await waiting(['1'])
    await queue.accept(question('1'))
    await isSuspended(1)
    const denied = { outcome: 'denied', by: 'U3', at: 1, key: 'k', reason: 'no "é"' } as const
    const presses = [
      control.resume(refOf(question('1')), '1', denied),
      control.resume(refOf(question('1')), '1', ALLOWED),
    ]
    expect((await Promise.all(presses)).toSorted()).toEqual(['decided', 'woken'])
    await isSuspended(2)
    const [, saved] = seen[1]!
    expect(saved).toMatchObject({ attempts: 2, steps: [{ waiting: { since: expect.any(Number) } }] })
    expect(await control.resume(refOf(question('1')), '1', ALLOWED)).toBe('decided')
    expect([denied, ALLOWED]).toContainEqual(saved.decisions[1])
    expect(seen).toHaveLength(2)
  })

  test('it resumes at the head of its thread, behind the question in progress', async () => {
    const [begun, over] = [deferred(), deferred()]
    const order: string[] = []
    const { queue, control } = await opened(async ({ ts = '' }, run) => {
      order.push(ts)
      if (ts === '1' && !run.saved.decisions[1]) return askForApproval(run)
      if (ts !== '2') return
      begun.resolve()
      await over.promise
    })
    for (const name of ['1', '2', '3']) await queue.accept(question(name))
    await begun.promise
    expect(await control.resume(refOf(question('1')), '1', ALLOWED)).toBe('woken')
    over.resolve()
    await eventually(() => expect(order).toEqual(['1', '2', '1', '3']))
  })

  test('a decision before the run is suspended is not lost', async () => {
    const [asked, decided] = [deferred(), deferred()]
    const runs: SavedRun[] = []
    const { queue, control } = await opened(async (_, run) => {
      runs.push(structuredClone(run.saved))
      if (run.saved.decisions[1]) return
      await askForApproval(run)
      asked.resolve()
      await decided.promise
      return 'waiting'
    })
    await queue.accept(question('1'))
    await queue.accept(question('2', { thread: '2.0' }))
    await asked.promise
    expect(await control.resume(refOf(question('1')), '1', ALLOWED)).toBe('woken')
    expect(await control.resume(refOf(question('2', { thread: '2.0' })), '1', ALLOWED)).toBe('woken')
    decided.resolve()
    await eventually(() => expect(runs.filter(({ decisions }) => decisions[1])).toHaveLength(2))
  })

  test('a stop resumes a suspended run; a message does not, and is read later', async () => {
    const heard: Signal[][] = []
    const { queue, control } = await opened(async (asked, run) => {
      const mine: Signal[] = []
      ;(await queue.control.listen(refOf(asked), (signal) => mine.push(signal)))()
      heard.push(mine)
      return mine.some(({ type }) => type === 'stop') ? undefined : askForApproval(run)
    })
    await queue.accept(question('1'))
    await eventually(() => expect(heard).toHaveLength(1))
    await eventually(async () => expect((await queue.stats()).active).toBe(0))
    expect(await control.send(refOf(question('1')), message('m1'))).toBe('sent')
    expect(heard).toHaveLength(1)
    expect(await control.send(refOf(question('1')), STOP)).toBe('sent')
    await eventually(() => expect(heard).toEqual([[], [message('m1'), STOP]]))
  })

  test('after its deadline it continues without a decision, and a later decision is refused', async () => {
    let now = 1_000_000
    const {
      queue,
      control,
      seen,
      isSuspended: isSuspended,
    } = await waiting(['1'], { now: () => now, suspendedMs: 5_000, sweepMs: 20 })
    await queue.accept(question('1'))
    await isSuspended(1)
    now += 5_001
    await isSuspended(2)
    expect(seen[1]?.[1].decisions).toEqual({ 1: { outcome: 'expired' } })
    expect(await control.resume(refOf(question('1')), '1', ALLOWED)).toBe('expired')
    expect(seen).toHaveLength(2)
  })

  test('a late decision before the expiry is noticed is refused too, and the run continues', async () => {
    let now = 1_000_000
    const {
      queue,
      control,
      seen,
      isSuspended: isSuspended,
    } = await waiting(['1'], { now: () => now, suspendedMs: 5_000 })
    await queue.accept(question('1'))
    await isSuspended(1)
    now += 5_001
    expect(await control.resume(refOf(question('1')), '1', ALLOWED)).toBe('expired')
    await isSuspended(2)
    expect(seen[1]?.[1].decisions).toEqual({ 1: { outcome: 'expired' } })
  })

  test('a suspended run moves with its channel, is decided there, and is no new question', async () => {
    const channels: string[] = []
    const { queue, control } = await opened(async ({ ts, channel, thread }, run) => {
      channels.push(`${channel} ${ts}`)
      if (thread === '1.0' && ts === '1' && !run.saved.decisions[1]) return askForApproval(run)
    })
    const isSuspended = (channel: string) =>
      eventually(async () => {
        const { running, suspended } = await queue.inThread(`T1:${channel}:1.0`)
        expect([running, suspended?.length]).toEqual([undefined, 1])
      })
    await queue.accept(question('1'))
    await queue.accept(question('1', { channel: 'C12' }))
    await Promise.all(['C1', 'C12'].map(isSuspended))
    expect(await control.send(refOf(question('1')), message('m1'))).toBe('sent')
    for (let times = 0; times < 2; times++) await queue.moveChannel({ team: 'T1', channel: 'C1' }, 'C9')
    expect(await control.load(refOf(question('1')))).toBeUndefined()
    expect(await queue.accept(question('1'))).toBe('duplicate')
    const moved = { thread: 'T1:C9:1.0', id: question('1').id }
    expect((await control.load(moved))?.question.channel).toBe('C9')
    const heard: Signal[] = []
    ;(await control.listen(moved, (signal) => heard.push(signal)))()
    expect(heard).toEqual([message('m1')])
    expect(await control.resume(moved, '1', ALLOWED)).toBe('woken')
    await eventually(() => expect(channels).toContain('C9 1'))
    const reply = (channel: string) => queue.accept(question('2', { channel }), { onlyKnownThread: true })
    expect([await reply('C9'), await reply('C8')]).toEqual(['accepted', 'unknown_thread'])
    await isSuspended('C12')
  })

  test('a run can be read for display and decisions, while it waits and after it has continued', async () => {
    const { queue, control, isSuspended: isSuspended } = await waiting(['1'])
    const asked = question('1', { text: 'What "é"?' })
    expect(await control.load(refOf(asked))).toBeUndefined()
    await queue.accept(asked)
    await isSuspended(1)
    const loaded = await control.load(refOf(asked))
    expect(loaded).toMatchObject({ question: asked, saved: { steps: [{ waiting: {} }], decisions: {} } })
    expect(undecidedSteps(loaded!.saved)).toEqual(['1'])
    // The loaded run is a copy.
    loaded!.saved.decisions['1'] = ALLOWED
    expect((await control.load(refOf(asked)))?.saved.decisions).toEqual({})
    await control.resume(refOf(asked), '1', ALLOWED)
    await isSuspended(2)
    expect((await control.load(refOf(asked)))?.saved.decisions).toEqual({ 1: ALLOWED })
    await queue.forgetUser({ team: 'T1', user: 'another' })
    expect(await control.load(refOf(asked))).toBeDefined()
    await queue.forgetChannel({ team: 'T1', channel: 'C1' })
    expect(await control.load(refOf(asked))).toBeUndefined()
  })

  test('each wait of a step is decided by its own key', async () => {
    const seen: SavedRun['decisions'][] = []
    const { queue, control } = await opened(async (_, run) => {
      seen.push(structuredClone(run.saved.decisions))
      const round = Object.keys(run.saved.decisions).length + 1
      if (round > 3) return
      const wait = { since: Date.now(), ...(round > 1 ? { round } : {}) }
      await run.save({ part: 'step', n: 1, value: toolStep(1, { waiting: wait }) })
      return 'waiting'
    })
    await queue.accept(question('1'))
    const isSuspended = (count: number) =>
      eventually(async () => {
        expect(seen).toHaveLength(count)
        expect(await queue.stats()).toMatchObject({ active: 0, waiting: 0 })
      })
    const answered = { outcome: 'answered', by: 'U1', action: 'accept', content: { name: '"é"', n: [1] } } as const
    const denied = { outcome: 'denied', by: 'U3', at: 1, reason: 'no', key: 'k' } as const
    const decisions = { 1: { ...ALLOWED, key: 'k', always: true }, 1.2: answered, 1.3: denied } as const
    for (const [i, [key, decision]] of Object.entries(decisions).toSorted().entries()) {
      await isSuspended(i + 1)
      expect(await control.resume(refOf(question('1')), key, decision)).toBe('woken')
      expect(await control.resume(refOf(question('1')), key, { outcome: 'denied', by: 'U9', at: 1, key: 'k' })).toBe(
        'decided',
      )
    }
    await isSuspended(4)
    expect(seen.at(-1)).toEqual(decisions)
  })

  test('two waiting steps have separate deadlines', async () => {
    let now = 1_000_000
    const seen: SavedRun['decisions'][] = []
    const settings = { now: () => now, suspendedMs: 5_000, sweepMs: 20 }
    const { queue, control } = await opened(async (_, run) => {
      seen.push(structuredClone(run.saved.decisions))
      if (Object.keys(run.saved.decisions).length === 2) return
      await askForApproval(run, 1_000_000)
      await run.save({ part: 'step', n: 2, value: toolStep(1, { waiting: { since: 1_003_000 } }) })
      return 'waiting'
    }, settings)
    await queue.accept(question('1'))
    await eventually(async () => expect([seen.length, (await queue.stats()).active]).toEqual([1, 0]))
    now = 1_005_001
    await eventually(async () => expect([seen.length, (await queue.stats()).active]).toEqual([2, 0]))
    expect(seen.at(-1)).toEqual({ 1: { outcome: 'expired' } })
    expect(await control.resume(refOf(question('1')), '2', ALLOWED)).toBe('woken')
    await eventually(() => expect(seen.at(-1)).toEqual({ 1: { outcome: 'expired' }, 2: ALLOWED }))
  })

  test('a decision about one step is in time although the other has expired', async () => {
    let now = 1_000_000
    const seen: SavedRun['decisions'][] = []
    const { queue, control } = await opened(
      async (_, run) => {
        seen.push(structuredClone(run.saved.decisions))
        if (run.saved.decisions[2]) return
        await askForApproval(run, 1_000_000)
        await run.save({ part: 'step', n: 2, value: toolStep(1, { waiting: { since: 1_003_000 } }) })
        return 'waiting'
      },
      { now: () => now, suspendedMs: 5_000 },
    )
    await queue.accept(question('1'))
    await eventually(async () => expect([seen.length, (await queue.stats()).active]).toEqual([1, 0]))
    now = 1_005_001
    expect(await control.resume(refOf(question('1')), '2', ALLOWED)).toBe('woken')
    await eventually(() => expect(seen.at(-1)).toEqual({ 1: { outcome: 'expired' }, 2: ALLOWED }))
  })
}
