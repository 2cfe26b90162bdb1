import { ExpiringMap, forgettingIn } from '../../base/expiring-map.ts'
import { packTrace, unpackTrace } from './packed-trace.ts'
import type { Forgetting, Person } from '../../base/place.ts'
import type { RunTrace } from '../runs/run-trace.ts'

/** A packed trace and its owner. */
interface PackedTrace {
  team: string
  user: string
  packed: string
}

/** Traces in this process's memory, packed. Beyond the bounds, those that were kept longest ago are forgotten. */
export function memoryTraces(bounds: { ttlMs: number; maxSize: number; maxBytes: number; now: () => number }) {
  const weight = { max: bounds.maxBytes, of: ({ packed }: PackedTrace) => packed.length }
  const traces = new ExpiringMap<PackedTrace>({ ...bounds, weight })
  const forgetting: Forgetting = forgettingIn(traces)
  return {
    async keep(trace: RunTrace): Promise<void> {
      const { id, team, user } = trace
      traces.set(id, { team, user, packed: await packTrace(trace) })
    },
    async load(id: string): Promise<RunTrace | undefined> {
      const kept = traces.get(id)
      return kept && unpackTrace(kept.packed)
    },
    remove: (id: string) => traces.delete(id),
    forgetUser({ team, user }: Person): void {
      for (const id of traces.keys()) {
        const trace = traces.get(id)
        if (trace?.team === team && trace.user === user) traces.delete(id)
      }
    },
    ...forgetting,
  }
}
