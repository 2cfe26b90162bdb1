import { ExpiringMap, forgettingIn } from '../../base/expiring-map.ts'
import type { Person, Forgetting } from '../../base/place.ts'
import type { Feedback, RunArchive, RunRecord } from './types.ts'
import { packTrace, unpackTrace } from './packed-trace.ts'
import type { RunTrace } from '../runs/run-trace.ts'

interface MemoryArchiveOptions {
  /** How long a run is kept. Milliseconds. */
  ttlMs: number
  /**
   * Upper bounds on the number of runs and on their bytes together. Beyond them, the runs that ended longest ago are
   * forgotten.
   */
  maxRuns?: number
  maxBytes?: number
  now: () => number
}

/** The archive in this process's memory. */
export function memoryArchive(options: MemoryArchiveOptions): RunArchive {
  const { ttlMs, maxRuns = 5_000, maxBytes = 64_000_000, now } = options
  const runs = new ExpiringMap<RunRecord>({ ttlMs, maxSize: maxRuns, now, weight: { max: maxBytes, of: bytesOf } })
  const traces = memoryTraces({ ttlMs, maxSize: maxRuns, maxBytes, now })
  const all = () => runs.keys().flatMap((id) => runs.get(id) ?? [])
  const copyOf = (record: RunRecord | undefined) => structuredClone(record)

  const forgetting = forgettingIn(runs)

  return {
    async keep(record) {
      const { id } = record.question
      runs.set(id, { ...structuredClone(record), feedback: runs.get(id)?.feedback ?? [] })
    },
    load: async (id) => copyOf(runs.get(id)),
    lastOf: async (person, n) =>
      structuredClone(
        all()
          .filter((run) => isAskedBy(run, person))
          .sort(byAge)
          .slice(0, n),
      ),
    async rate(id, feedback) {
      const record = runs.get(id)
      // Changed in place, because `set` would restart the expiry.
      if (record)
        record.feedback = [...feedbackWithout(record, feedback.by), { ...feedback }].sort((a, b) => a.at - b.at)
      return record !== undefined
    },
    async *rated() {
      for (const id of runs.keys()) {
        const record = copyOf(runs.get(id))
        if (record && record.feedback.length > 0) yield record
      }
    },
    async remove(id) {
      runs.delete(id)
      traces.remove(id)
    },
    keepTrace: traces.keep,
    loadTrace: traces.load,
    async forgetUser(person) {
      for (const record of all().filter(({ question }) => question.team === person.team)) {
        record.feedback = feedbackWithout(record, person.user)
        if (isAskedBy(record, person)) runs.delete(record.question.id)
      }
      traces.forgetUser(person)
    },
    async forgetChannel(place) {
      await Promise.all([forgetting.forgetChannel(place), traces.forgetChannel(place)])
    },
    async forgetTeam(team) {
      await Promise.all([forgetting.forgetTeam(team), traces.forgetTeam(team)])
    },
  }
}

function isAskedBy({ question }: RunRecord, { team, user }: Person): boolean {
  return question.team === team && question.user === user
}

function byAge(one: RunRecord, other: RunRecord): number {
  return other.question.at - one.question.at
}

function feedbackWithout({ feedback }: RunRecord, user: string): Feedback[] {
  return feedback.filter(({ by }) => by !== user)
}

/**
 * Returns an upper estimate without the overhead of objects: V8 stores two bytes a character unless a text is Latin-1.
 */
function bytesOf(record: RunRecord): number {
  return 2 * JSON.stringify(record).length
}

/** A packed trace and its owner. */
interface PackedTrace {
  team: string
  user: string
  packed: string
}

/** Traces in this process's memory, packed. Beyond the bounds, those that were kept longest ago are forgotten. */
function memoryTraces(bounds: { ttlMs: number; maxSize: number; maxBytes: number; now: () => number }) {
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
