import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { settledWithin } from '../../src/base/async.ts'
import { standStill } from '../harness/stand-still.ts'

/** Another process on this machine. It answers each message a moment later. */
const OTHER = `const { parentPort } = require('node:worker_threads')
parentPort.on('message', () => setTimeout(() => parentPort.postMessage('done'), 50))`

test('results that arrived while the process was frozen are in time, and so are their follow-up calls', async (t) => {
  const other = new Worker(OTHER, { eval: true })
  t.onTestFinished(async () => void (await other.terminate()))
  await once(other, 'online')
  const asked = () => {
    const answer = once(other, 'message')
    other.postMessage('go')
    return answer
  }
  const isInTime = settledWithin(1_000, [asked().then(asked)])
  standStill(3_000)
  expect(await isInTime).toBe(true)
})

test('a pending promise is awaited up to the limit, and a rejected one counts as settled', async () => {
  const never = new Promise(() => undefined)
  const from = performance.now()
  expect(await settledWithin(200, [never, Promise.resolve()])).toBe(false)
  expect(performance.now() - from).toBeGreaterThan(190)
  expect(await settledWithin(60_000, [Promise.reject(new Error('no')), Promise.resolve()])).toBe(true)
})
