import { z } from 'zod'
import { parseJson } from '../../base/parse-json.ts'
import type { Sealer } from '../../base/seal.ts'
import type { StoreLog } from '../../base/store-log.ts'
import { messageOf } from '../../base/errors.ts'
import { refOf, refText, ttlOf, wakeAt, type Schedule, type ScheduleRef, type ScheduleStore } from './types.ts'

/** Where the texts of schedules are, and the index: `score` is when the scheduler looks at one. */
export interface ScheduleTexts {
  get(ref: ScheduleRef): Promise<string | undefined>
  /** Replaces a text if it is still `expected` (undefined: there is none). An undefined `text` removes it. */
  swap(ref: ScheduleRef, change: { expected?: string | undefined; text?: string | undefined; schedule: Schedule }): Promise<boolean>
  index(name: string, score: number): Promise<void>
  unindex(name: string): Promise<void>
  /** Names up to a score, the lowest first. */
  upTo(score: number, max: number): Promise<string[]>
  /** All names that match a glob of the four parts. */
  named(parts: Partial<ScheduleRef>): Promise<string[]>
  /** All schedules with a text, in batches. */
  all(): AsyncIterable<ScheduleRef[]>
}

interface Options {
  log: StoreLog
  sealer?: Sealer | undefined
  now: () => number
}

/** How often a change is tried again because another process was faster. */
const TRIES = 20

/** The rules of a schedule store, over texts in memory or in Redis. */
export function scheduleStore(texts: ScheduleTexts, { log, sealer, now }: Options): ScheduleStore {
  const seal = (schedule: Schedule) => {
    const text = JSON.stringify(schedule)
    return sealer?.seal(text, belongsTo(schedule)) ?? text
  }
  const read = (text: string, ref: ScheduleRef): Schedule | undefined => {
    try {
      const open = text.startsWith('{') ? text : (sealer?.open(text, belongsTo(ref)) ?? '')
      const schedule = scheduleSchema.safeParse(parseJson(open)).data
      if (schedule) return schedule
    } catch (error) {
      log.warn({ schedule: ref.id, error: messageOf(error) }, 'a schedule could not be opened')
      return undefined
    }
    log.warn({ schedule: ref.id }, 'skipped an unreadable schedule')
    return undefined
  }
  const load = async (ref: ScheduleRef) => {
    const text = await texts.get(ref)
    return text === undefined ? undefined : read(text, ref)
  }
  // One that does not run is looked at when it expires, so that nothing stays of it.
  const index = (schedule: Schedule) =>
    texts.index(refText(schedule), wakeAt(schedule) ?? now() + ttlOf(schedule, now()))
  const remove = async (ref: ScheduleRef) => {
    const [expected, schedule] = [await texts.get(ref), await load(ref)]
    if (expected !== undefined) await texts.swap(ref, { expected, schedule: schedule ?? { ...NONE, ...ref } })
    await texts.unindex(refText(ref))
  }
  const update: ScheduleStore['update'] = async (ref, change) => {
    for (let tries = 0; tries < TRIES; tries++) {
      const expected = await texts.get(ref)
      const before = expected === undefined ? undefined : read(expected, ref)
      const after = before && change(before)
      if (!after) return undefined
      const text = seal(after)
      if (!(await texts.swap(ref, { expected, text, schedule: after }))) continue
      await index(after)
      // Somebody else's change may have been indexed before this one.
      const latest = await load(ref)
      if (latest && wakeAt(latest) !== wakeAt(after)) await index(latest)
      return after
    }
    throw new Error(`The schedule ${ref.id} changed too often at the same time.`)
  }
  const named = async (parts: Partial<ScheduleRef>) =>
    (await texts.named(parts)).flatMap((name) => refOf(name) ?? [])
  const forget = async (parts: Partial<ScheduleRef>) => {
    for (const ref of await named(parts)) await remove(ref)
  }
  return {
    load,
    async add(schedule) {
      // The index first: a name without a schedule is dropped when its time comes, a schedule without a name is never found.
      await index(schedule)
      await texts.swap(schedule, { text: seal(schedule), schedule })
    },
    update,
    remove,
    async list(of) {
      const found = await Promise.all((await named(of)).map(load))
      return found.flatMap((one) => (one && one.state !== 'draft' ? one : [])).sort(byAge)
    },
    async due(now, max) {
      return (await texts.upTo(now, max)).flatMap((name) => refOf(name) ?? [])
    },
    async moveChannel({ team, channel }, to) {
      for (const ref of await named({ team, channel })) {
        const schedule = await load(ref)
        if (schedule) await texts.swap({ ...ref, channel: to }, { text: seal({ ...schedule, channel: to }), schedule })
        if (schedule) await index({ ...schedule, channel: to })
        await remove(ref)
      }
    },
    async repair() {
      for await (const refs of texts.all())
        for (const ref of refs) {
          const schedule = await load(ref)
          if (schedule) await index(schedule)
        }
    },
    forgetUser: ({ team, user }) => forget({ team, user }),
    forgetChannel: ({ team, channel }) => forget({ team, channel }),
    forgetTeam: (team) => forget({ team }),
  }
}

const byAge = (one: Schedule, other: Schedule) => one.createdAt - other.createdAt

const belongsTo = (ref: ScheduleRef) => `schedule ${refText(ref)}`

const zone = z.string()
const cost = z.object({ usd: z.number().exactOptional(), tokens: z.number() })

/** Stands for a schedule that cannot be read, when it is removed. */
const NONE: Omit<Schedule, keyof ScheduleRef> = {
  ...{ text: '', question: '', createdAt: 0, when: { kind: 'once', at: 0, zone: 'UTC' }, state: 'over' },
  ...{ place: { isPrivate: false, isShared: false, isMember: false }, failures: 0, runs: [], spent: {} },
}

const scheduleSchema: z.ZodType<Schedule> = z.object({
  id: z.string(),
  team: z.string(),
  channel: z.string(),
  user: z.string(),
  createdAt: z.number(),
  text: z.string(),
  question: z.string(),
  when: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('cron'), cron: z.string(), zone }),
    z.object({ kind: z.literal('every'), minutes: z.number(), start: z.number(), zone }),
    z.object({ kind: z.literal('once'), at: z.number(), zone }),
  ]),
  state: z.enum(['draft', 'active', 'paused', 'over']),
  due: z.number().exactOptional(),
  paused: z
    .object({
      why: z.enum([
        ...(['person', 'failures', 'makerGone', 'makerGuest', 'notAllowed', 'makerLeft'] as const),
        ...(['archived', 'botLeft', 'becamePrivate', 'becameShared', 'budget'] as const),
      ]),
      at: z.number(),
      by: z.string().exactOptional(),
    })
    .exactOptional(),
  place: z.object({ isPrivate: z.boolean(), isShared: z.boolean(), isMember: z.boolean() }),
  running: z.object({ occurrence: z.string(), since: z.number() }).exactOptional(),
  failures: z.number(),
  runs: z.array(
    z.object({
      occurrence: z.string(),
      due: z.number(),
      at: z.number(),
      end: z.enum(['answered', 'gave_up', 'stopped', 'failed', 'quiet', 'missed', 'skipped']),
      cost: cost.exactOptional(),
      count: z.number().exactOptional(),
    }),
  ),
  spent: z.record(z.string(), cost),
  tried: cost.exactOptional(),
})
