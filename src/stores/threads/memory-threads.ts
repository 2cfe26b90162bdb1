import { ExpiringMap, forgettingIn, movingIn } from '../../base/expiring-map.ts'
import { MAX_GRANTS, type Grant, type ThreadState, type ThreadStates } from './types.ts'

interface MemoryThreadsOptions {
  /** How long a state is kept after it was last changed. Milliseconds. */
  ttlMs: number
  /** The maximum number of threads; beyond it those that changed longest ago are forgotten. */
  maxThreads?: number
  now: () => number
}

/** States of threads in this process's memory. */
export function memoryThreads({ ttlMs, maxThreads = 20_000, now }: MemoryThreadsOptions): ThreadStates {
  const states = new ExpiringMap<ThreadState>({ ttlMs, maxSize: maxThreads, now })
  return {
    load: async (thread) => ({ ...states.get(thread) }),
    async patch(thread, parts) {
      const given = Object.entries(parts).filter(([, value]) => value !== undefined)
      const before = states.get(thread)
      const grants = parts.grants ? { grants: withGrants(before?.grants, parts.grants) } : {}
      states.set(thread, { ...before, ...Object.fromEntries(given), ...grants })
    },
    forget: async (thread) => states.delete(thread),
    async forgetUser({ team, user }) {
      for (const key of states.keys()) {
        const { grants, ...state } = states.get(key) ?? {}
        const kept = grants?.filter(({ by }) => by !== user) ?? []
        if (key.startsWith(`${team}:`) && kept.length < (grants?.length ?? 0))
          states.set(key, kept.length > 0 ? { ...state, grants: kept } : state)
      }
    },
    ...movingIn(states),
    ...forgettingIn(states),
  }
}

function withGrants(before: readonly Grant[] = [], added: readonly Grant[]): Grant[] {
  const isReplaced = ({ tool, by }: Grant) => added.some((grant) => grant.tool === tool && grant.by === by)
  return [...before.filter((grant) => !isReplaced(grant)), ...added].slice(-MAX_GRANTS)
}
