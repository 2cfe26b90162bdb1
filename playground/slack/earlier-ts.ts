import type { Store } from './store.ts'
import type { Channel } from './types.ts'

/** Returns a fresh ts a given number of ms ago, but after every message of the thread. */
export function earlierTs(store: Store, channel: Channel, ms: number, thread: string | undefined): string {
  const last = thread ? store.thread(channel, thread).at(-1)?.ts : undefined
  const digits = String(Math.max(micros(store.ts()) - ms * 1000, micros(last ?? '0') + 1))
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

function micros(ts: string): number {
  return Number(ts.replace('.', ''))
}
