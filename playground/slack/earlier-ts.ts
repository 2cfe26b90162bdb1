import type { Store } from './store.ts'
import type { Channel } from './types.ts'

/** A fresh ts of so many milliseconds ago, but after all that stands in the thread. */
export function earlierTs(
  store: Store,
  { channel, ms, thread }: { channel: Channel; ms: number; thread: string | undefined },
): string {
  const last = thread ? store.thread(channel, thread).at(-1)?.ts : undefined
  const digits = String(Math.max(micros(store.ts()) - ms * 1000, micros(last ?? '0') + 1))
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

function micros(ts: string): number {
  return Number(ts.replace('.', ''))
}
