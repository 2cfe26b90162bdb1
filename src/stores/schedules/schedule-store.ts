import { z } from 'zod'
import type { Person, Place } from '../../base/place.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { Sealer } from '../../base/encryption.ts'
import type { StoreLog } from '../../base/store-log.ts'
import { messageOf } from '../../base/errors.ts'
import {
  MAX_DRAFTS,
  refOf,
  refText,
  ttlOf,
  nextCheckAt,
  type Schedule,
  type ScheduleRef,
  type ScheduleStore,
} from './types.ts'

/** The store of the schedules' texts, and the index: `score` is the time at which the scheduler looks at one. */
interface ScheduleTexts {
  get(ref: ScheduleRef): Promise<string | undefined>
  /** Replaces a text if it is still `expected` (undefined: there is none). An undefined `text` removes it. */
  swap(ref: ScheduleRef, change: SwappedText): Promise<boolean>
  index(name: string, score: number): Promise<void>
  unindex(name: string): Promise<void>
  /** Names up to a score, the lowest first. */
  upTo(score: number, max: number): Promise<string[]>
  /** All names that match a glob of the four parts. */
  namesMatching(parts: Partial<ScheduleRef>): Promise<string[]>
  /** All schedules with a text, in batches. */
  all(): AsyncIterable<ScheduleRef[]>
}

/** `schedule`: the text's content, which determines how long it is stored. */
export type SwappedText =
  | { expected?: string | undefined; text: string; schedule: Schedule }
  | { expected?: string | undefined; text?: undefined; schedule?: undefined }

interface ScheduleStoreOptions {
  log: StoreLog
  sealer?: Sealer | undefined
  now: () => number
}

/** How often a change is tried again because another process was faster. */
const TRIES = 20

/**
 * The pause before a schedule that cannot be read is looked at again: another process may have the key that opens it.
 */
const UNREADABLE_MS = 5 * 60_000

/** The rules of a schedule store, over texts in memory or in Redis. */
export class Schedules implements ScheduleStore {
  readonly #texts: ScheduleTexts
  readonly #options: ScheduleStoreOptions

  constructor(texts: ScheduleTexts, options: ScheduleStoreOptions) {
    this.#texts = texts
    this.#options = options
  }

  async load(ref: ScheduleRef): Promise<Schedule | undefined> {
    const text = await this.#texts.get(ref)
    return text === undefined ? undefined : this.#read(text, ref)
  }

  async add(schedule: Schedule): Promise<void> {
    // The index is written first: a name without a schedule is dropped when its time comes, but a schedule without a
    // name is never found.
    await this.#index(schedule)
    if (await this.#texts.swap(schedule, { text: this.#seal(schedule), schedule })) {
      if (schedule.state === 'draft') await this.#dropOldDrafts(schedule)
      return
    }
    const stored = await this.load(schedule)
    if (stored) await this.#index(stored)
  }

  async update(ref: ScheduleRef, change: Parameters<ScheduleStore['update']>[1]): Promise<Schedule | undefined> {
    for (let tries = 0; tries < TRIES; tries++) {
      const expected = await this.#texts.get(ref)
      const before = expected === undefined ? undefined : this.#read(expected, ref)
      const after = before && change(before)
      if (!after) return undefined
      if (!(await this.#texts.swap(ref, { expected, text: this.#seal(after), schedule: after }))) continue
      await this.#indexLatest(after)
      return after
    }
    throw new Error(`The schedule ${ref.id} changed too often at the same time.`)
  }

  async remove(ref: ScheduleRef): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const expected = await this.#texts.get(ref)
      if (expected === undefined || (await this.#texts.swap(ref, { expected }))) break
    }
    await this.#texts.unindex(refText(ref))
  }

  async skip(ref: ScheduleRef): Promise<void> {
    const isStored = (await this.#texts.get(ref)) !== undefined
    await (isStored
      ? this.#texts.index(refText(ref), this.#options.now() + UNREADABLE_MS)
      : this.#texts.unindex(refText(ref)))
  }

  async list(of: Parameters<ScheduleStore['list']>[0]): Promise<Schedule[]> {
    return (await this.#loadMatching(of)).filter(({ state }) => state !== 'draft')
  }

  async #loadMatching(parts: Partial<ScheduleRef>): Promise<Schedule[]> {
    const found = await Promise.all((await this.#refsMatching(parts)).map((ref) => this.load(ref)))
    return found.flatMap((one) => one ?? []).sort(byAge)
  }

  async #dropOldDrafts({ team, user }: Schedule): Promise<void> {
    const drafts = (await this.#loadMatching({ team, user })).filter(({ state }) => state === 'draft')
    for (const draft of drafts.slice(0, -MAX_DRAFTS)) await this.remove(draft)
  }

  async due(now: number, max: number): Promise<ScheduleRef[]> {
    return (await this.#texts.upTo(now, max)).flatMap((name) => refOf(name) ?? [])
  }

  async moveChannel({ team, channel }: Place, to: string): Promise<void> {
    for (const ref of await this.#refsMatching({ team, channel })) {
      const schedule = await this.load(ref)
      if (!schedule) continue
      await this.add({ ...schedule, channel: to })
      await this.remove(ref)
    }
  }

  async repair(): Promise<void> {
    const repairOne = async (ref: ScheduleRef) => {
      const schedule = await this.load(ref)
      if (schedule) await this.#indexLatest(schedule)
    }
    for await (const refs of this.#texts.all()) await Promise.all(refs.map(repairOne))
  }

  forgetUser({ team, user }: Person): Promise<void> {
    return this.#forget({ team, user })
  }

  forgetChannel({ team, channel }: Place): Promise<void> {
    return this.#forget({ team, channel })
  }

  forgetTeam(team: string): Promise<void> {
    return this.#forget({ team })
  }

  async #forget(parts: Partial<ScheduleRef>): Promise<void> {
    // Names that a failover has lost are found again first.
    await this.repair()
    for (const ref of await this.#refsMatching(parts)) await this.remove(ref)
  }

  async #refsMatching(parts: Partial<ScheduleRef>): Promise<ScheduleRef[]> {
    return (await this.#texts.namesMatching(parts)).flatMap((name) => refOf(name) ?? [])
  }

  async #indexLatest(schedule: Schedule): Promise<void> {
    await this.#index(schedule)
    // Another process may have indexed its change before this one.
    const latest = await this.load(schedule)
    if (latest && nextCheckAt(latest) !== nextCheckAt(schedule)) await this.#index(latest)
  }

  /** A schedule that does not run is looked at when it expires, so that nothing of it is left. */
  #index(schedule: Schedule): Promise<void> {
    const now = this.#options.now()
    return this.#texts.index(refText(schedule), nextCheckAt(schedule) ?? now + ttlOf(schedule, now))
  }

  #seal(schedule: Schedule): string {
    const text = JSON.stringify(schedule)
    return this.#options.sealer?.seal(text, belongsTo(schedule)) ?? text
  }

  #read(text: string, ref: ScheduleRef): Schedule | undefined {
    const { sealer, log } = this.#options
    try {
      const opened = text.startsWith('{') ? text : (sealer?.open(text, belongsTo(ref)) ?? '')
      const schedule = scheduleSchema.safeParse(parseJson(opened)).data
      if (!schedule) log.warn({ schedule: ref.id }, 'skipped an unreadable schedule')
      return schedule
    } catch (error) {
      log.warn({ schedule: ref.id, error: messageOf(error) }, 'a schedule could not be opened')
      return undefined
    }
  }
}

const byAge = (one: Schedule, other: Schedule) => one.createdAt - other.createdAt

const belongsTo = (ref: ScheduleRef) => `schedule ${refText(ref)}`

const zone = z.string()
const cost = z.object({ usd: z.number().exactOptional(), tokens: z.number() })

const scheduleSchema: z.ZodType<Schedule> = z.object({
  id: z.string(),
  team: z.string(),
  channel: z.string(),
  user: z.string(),
  createdAt: z.number(),
  app: z.string().exactOptional(),
  text: z.string(),
  question: z.string(),
  when: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('cron'),
      cron: z.string(),
      also: z.array(z.string()).exactOptional(),
      step: z.object({ unit: z.enum(['day', 'week']), n: z.number().min(1), from: z.number() }).exactOptional(),
      zone,
    }),
    z.object({ kind: z.literal('every'), minutes: z.number(), start: z.number(), zone }),
    z.object({ kind: z.literal('once'), at: z.number(), zone }),
  ]),
  gapMs: z.number().exactOptional(),
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
  again: z.object({ at: z.number(), n: z.number(), from: z.number().exactOptional() }).exactOptional(),
  place: z.object({ isPrivate: z.boolean(), isShared: z.boolean(), isMember: z.boolean() }),
  running: z.object({ occurrence: z.string(), since: z.number() }).exactOptional(),
  failures: z.number(),
  runs: z.array(
    z.object({
      occurrence: z.string(),
      due: z.number(),
      at: z.number(),
      end: z.enum(['answered', 'gave_up', 'stopped', 'failed', 'quiet', 'missed', 'late', 'skipped', 'limited']),
      cost: cost.exactOptional(),
      count: z.number().exactOptional(),
    }),
  ),
  spent: z.record(z.string(), cost),
  tried: cost.exactOptional(),
  replaces: z.string().exactOptional(),
})
