import type { StoreLog } from '../../base/store-log.ts'
import { Schedules } from './schedule-store.ts'
import { refOf, refText, type ScheduleRef, type ScheduleStore } from './types.ts'

/** Schedules in this process's memory, gone with the process. */
export function memorySchedules({ log, now }: { log: StoreLog; now: () => number }): ScheduleStore {
  const stored = new Map<string, string>()
  const scores = new Map<string, number>()
  return new Schedules(
    {
      get: async (ref) => stored.get(refText(ref)),
      async swap(ref, { expected, text }) {
        if (stored.get(refText(ref)) !== expected) return false
        if (text === undefined) return stored.delete(refText(ref))
        stored.set(refText(ref), text)
        return true
      },
      index: async (name, score) => void scores.set(name, score),
      unindex: async (name) => void scores.delete(name),
      upTo: async (until, max) =>
        [...scores]
          .filter(([, score]) => score <= until)
          .sort(([, one], [, other]) => one - other)
          .slice(0, max)
          .map(([name]) => name),
      namesMatching: async (parts) => [...scores.keys()].filter((name) => matchesParts(refOf(name), parts)),
      async *all() {
        yield [...stored.keys()].flatMap((name) => refOf(name) ?? [])
      },
    },
    { log, now },
  )
}

function matchesParts(ref: ScheduleRef | undefined, parts: Partial<ScheduleRef>): boolean {
  return (
    ref !== undefined &&
    (Object.entries(parts) as [keyof ScheduleRef, string][]).every(([part, value]) => ref[part] === value)
  )
}
