import { expect, test } from 'vitest'
import { keepLookedAt, lookedAt } from '../../../src/stores/threads/looked-at-channel.ts'
import { createThreadStates } from '../../../src/stores/threads/thread-states.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'

const MINUTE_MS = 60_000
const dm = { team: 'T1', channel: 'D1' }

test('the viewed channel is known for half an hour, in that direct message only', async () => {
  const threads = createThreadStates(memoryKv({ now: Date.now }), { ttlMs: 24 * 60 * MINUTE_MS })
  await keepLookedAt(threads, dm, { channel: 'C1', at: 0 })
  expect(await lookedAt(threads, dm, 29 * MINUTE_MS)).toBe('C1')
  expect(await lookedAt(threads, dm, 31 * MINUTE_MS)).toBeUndefined()
  expect(await lookedAt(threads, { ...dm, channel: 'D2' }, 0)).toBeUndefined()
  await threads.forgetChannel(dm)
  expect(await lookedAt(threads, dm, 0)).toBeUndefined()
})

test.each<[string, () => Promise<never>]>([
  ['fails', () => Promise.reject(new Error('away'))],
  ['does not answer', () => new Promise(() => {})],
])('a store that %s holds up no question', async (_, load) => {
  expect(
    await lookedAt({ ...createThreadStates(memoryKv({ now: Date.now }), { ttlMs: 1 }), load }, dm, 0),
  ).toBeUndefined()
})
