/**
 * Time that jumps: whenever this process has nothing to do but wait, its clocks and timers go to the next timer. What a
 * test waits for thus takes as long as the work, and a busy machine changes nothing. The servers and clients of the
 * test must run in this process, and modules be loaded before, since Vitest fetches them from another. `AbortSignal.timeout`
 * keeps the real time.
 */
import { syncBuiltinESMExports } from 'node:module'
import promised from 'node:timers/promises'
import { vi } from 'vitest'
import type { Ends } from './ends.ts'

/** How many turns of the event loop without work show that there is none: data between two sockets needs a few. */
const QUIET_TURNS = 30
/** Work outside of the event loop: files, names of hosts, connections. */
const WORK = /Req|Connect|Shutdown|Write|Job|Zlib/
const CLOCKS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] as const

/** Starts it for one test, which must be the only one at that time. */
export function jumpingTime(t: Ends): void {
  const real = promised.setTimeout
  vi.useFakeTimers({ toFake: [...CLOCKS] })
  replacePromised(promisedTimeout as typeof real)
  let isOver = false
  const jumps = jumpUntil(() => isOver)
  t.onTestFinished(async () => {
    isOver = true
    await jumps
    vi.useRealTimers()
    replacePromised(real)
  })
}

/** As `AbortSignal.timeout`, in the time that jumps. */
export function timeoutSignal(ms: number): AbortSignal {
  const stop = new AbortController()
  setTimeout(() => stop.abort(new DOMException('The time is up.', 'TimeoutError')), ms)
  return stop.signal
}

async function jumpUntil(isOver: () => boolean): Promise<void> {
  for (let quiet = 0; !isOver(); quiet++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (process.getActiveResourcesInfo().some((name) => WORK.test(name))) quiet = 0
    if (quiet < QUIET_TURNS) continue
    quiet = 0
    vi.advanceTimersToNextTimer()
  }
}

function replacePromised(setTimeout: typeof promised.setTimeout): void {
  promised.setTimeout = setTimeout
  syncBuiltinESMExports()
}

function promisedTimeout(ms: number, value: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
