import { expect, test } from 'vitest'
import { Deadline } from '../../src/agent/budget.ts'

const never = new Promise<never>(() => {})

test('work that ends in time is awaited, and the signal is not aborted', async () => {
  const time = new Deadline(new AbortController().signal, 60_000)
  await expect(time.wait(Promise.resolve('done'))).resolves.toBe('done')
  time.release()
  expect([time.hasPassed, time.signal.aborted]).toEqual([false, false])
})

test('at the deadline the waiting call rejects and the signal aborts', async () => {
  const time = new Deadline(new AbortController().signal, 5)
  const { signal } = time
  await expect(time.wait(never)).rejects.toMatchObject({ name: 'TimeoutError' })
  expect([time.hasPassed, signal.aborted]).toEqual([true, true])
})

test('a stopped run aborts it with the run’s reason, not as a timeout', async () => {
  const run = new AbortController()
  const time = new Deadline(run.signal, 60_000)
  const waiting = time.wait(never)
  run.abort(new Error('stopped by a person'))
  await expect(waiting).rejects.toThrow('stopped by a person')
  expect([time.hasPassed, time.signal.aborted, time.signal.reason]).toEqual([false, true, run.signal.reason])
  time.release()
})

test('a run that is already stopped leaves no time', async () => {
  const time = new Deadline(AbortSignal.abort('gone'), 60_000)
  expect(time.signal.aborted).toBe(true)
  await expect(time.wait(never)).rejects.toBe('gone')
  time.release()
})

test('the signal is readable after the end', async () => {
  const time = new Deadline(new AbortController().signal, 1)
  await expect(time.wait(never)).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(time.signal.reason).toMatchObject({ name: 'TimeoutError' })
})

test('after `release` neither the clock nor the run aborts it', async () => {
  const run = new AbortController()
  const time = new Deadline(run.signal, 1)
  time.release()
  run.abort()
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect([time.hasPassed, time.signal.aborted]).toEqual([false, false])
})
