import { ExpiringMap, forgettingIn } from '../history/expiring-map.ts'
import type { ThreadState, ThreadStates } from './types.ts'

export interface MemoryThreadsOptions {
  /** How long a state is kept after it was last changed, in ms. */
  ttlMs: number
  /** Upper bound on the number of threads; beyond it those that changed longest ago are forgotten. */
  maxThreads?: number
  now?: () => number
}

/** States of threads in this process's memory. */
export function memoryThreads({ ttlMs, maxThreads = 20_000, now = Date.now }: MemoryThreadsOptions): ThreadStates {
  const states = new ExpiringMap<ThreadState>({ ttlMs, maxSize: maxThreads, now })
  return {
    load: async (thread) => ({ ...states.get(thread) }),
    async patch(thread, parts) {
      const given = Object.entries(parts).filter(([, value]) => value !== undefined)
      states.set(thread, { ...states.get(thread), ...Object.fromEntries(given) })
    },
    forget: async (thread) => states.delete(thread),
    ...forgettingIn(states),
  }
}
