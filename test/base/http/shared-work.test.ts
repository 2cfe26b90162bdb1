import { expect, test } from 'vitest'
import { createSharedWork } from '../../../src/base/http/shared-work.ts'

/** Returns work that ends when told to, and records whether it was aborted. */
function controlled<T>() {
  const state = { started: 0, aborted: false, resolve: (_: T) => {}, reject: (_: Error) => {} }
  const promise = new Promise<T>((resolve, reject) => Object.assign(state, { resolve, reject }))
  const work = async (signal: AbortSignal) => {
    state.started += 1
    signal.addEventListener('abort', () => (state.aborted = true))
    return promise
  }
  return { state, work }
}

test('callers with the same key share one result', async () => {
  const shared = createSharedWork<string>()
  const { state, work } = controlled<string>()
  const both = Promise.all([shared.join('k', undefined, work), shared.join('k', undefined, work)])
  state.resolve('done')
  expect(await both).toEqual(['done', 'done'])
  expect(state.started).toBe(1)
})

test('other keys have their own work', async () => {
  const shared = createSharedWork<string>()
  expect(await Promise.all(['a', 'b'].map((key) => shared.join(key, undefined, async () => key)))).toEqual(['a', 'b'])
})

test('a failure reaches every caller, and the next call tries again', async () => {
  const shared = createSharedWork<string>()
  const { state, work } = controlled<string>()
  const both = [shared.join('k', undefined, work), shared.join('k', undefined, work)]
  state.reject(new Error('broke'))
  for (const one of both) await expect(one).rejects.toThrow('broke')
  expect(await shared.join('k', undefined, async () => 'mended')).toBe('mended')
})

test('work continues while anyone waits, and is aborted when the last caller leaves', async () => {
  const shared = createSharedWork<string>()
  const { state, work } = controlled<string>()
  const [first, second] = [new AbortController(), new AbortController()]
  const waits = [shared.join('k', first.signal, work), shared.join('k', second.signal, work)]
  first.abort(new Error('first left'))
  await expect(waits[0]).rejects.toThrow('first left')
  expect(state.aborted).toBe(false)
  second.abort(new Error('second left'))
  await expect(waits[1]).rejects.toThrow('second left')
  expect(state.aborted).toBe(true)
})

test('a caller that is already aborted starts nothing', async () => {
  const shared = createSharedWork<string>()
  const { state, work } = controlled<string>()
  await expect(shared.join('k', AbortSignal.abort(new Error('gone')), work)).rejects.toThrow('gone')
  expect(state.started).toBe(0)
})
