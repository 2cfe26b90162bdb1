import { setImmediate } from 'node:timers/promises'
import { isOf, type ForgottenPerson, type Place } from '../../base/place.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { Sealer } from '../../base/encryption.ts'
import type { StoreLog } from '../../base/store-log.ts'
import { messageOf } from '../../base/errors.ts'
import { changeText, escapeGlob, kvKey, type Kv } from '../kv/kv.ts'
import {
  MAX_DRAFTS,
  refOf,
  refText,
  ttlOf,
  nextCheckAt,
  scheduleSchema,
  type Schedule,
  type ScheduleRef,
  type ScheduleStore,
} from './types.ts'

interface ScheduleStoreOptions {
  log: StoreLog
  sealer?: Sealer | undefined
  now: () => number
}

/** How many schedules are read at a time. */
const BATCH = 200

/**
 * The pause before a schedule that cannot be read is looked at again: another process may have the key that opens it.
 */
const UNREADABLE_MS = 5 * 60_000

/** The index expires this long after its last change. Each worker's repair at its start renews it. */
const INDEX_MS = 400 * 86_400_000

/** An index of `T:C:U:ID`, scored by when the scheduler looks at it next. */
const DUE = kvKey('schedules', 'due')

/** Keeps a schedule as JSON under `{T:C}:schedule:U:ID`. */
export class Schedules implements ScheduleStore {
  readonly #kv: Kv
  readonly #options: ScheduleStoreOptions

  constructor(kv: Kv, options: ScheduleStoreOptions) {
    this.#kv = kv
    this.#options = options
  }

  async load(ref: ScheduleRef): Promise<Schedule | undefined> {
    const text = await this.#kv.texts.get(keyOf(ref))
    return text === undefined ? undefined : this.#read(text, ref)
  }

  async add(schedule: Schedule): Promise<void> {
    // The index is written first: a name without a schedule is dropped when its time comes, but a schedule without a
    // name is never found.
    await this.#index(schedule)
    if (await this.#kv.swap(keyOf(schedule), { before: undefined, ...this.#stored(schedule) })) {
      if (schedule.state === 'draft') await this.#dropOldDrafts(schedule)
      return
    }
    const stored = await this.load(schedule)
    if (stored) await this.#index(stored)
  }

  async update(ref: ScheduleRef, change: Parameters<ScheduleStore['update']>[1]): Promise<Schedule | undefined> {
    let after: Schedule | undefined
    await changeText(this.#kv, keyOf(ref), (text) => {
      const before = text === undefined ? undefined : this.#read(text, ref)
      after = before && change(before)
      return after && this.#stored(after)
    })
    if (after) await this.#indexLatest(after)
    return after
  }

  async remove(ref: ScheduleRef): Promise<void> {
    await this.#kv.keys.remove(keyOf(ref))
    await this.#kv.indexes.remove(DUE, refText(ref))
  }

  async skip(ref: ScheduleRef): Promise<void> {
    const isStored = (await this.#kv.texts.get(keyOf(ref))) !== undefined
    await (isStored
      ? this.#indexAt(ref, this.#options.now() + UNREADABLE_MS)
      : this.#kv.indexes.remove(DUE, refText(ref)))
  }

  async list(of: Parameters<ScheduleStore['list']>[0]): Promise<Schedule[]> {
    return (await this.#loadMatching(of)).filter(({ state }) => state !== 'draft')
  }

  async #loadMatching(parts: Partial<ScheduleRef>): Promise<Schedule[]> {
    const refs = await this.#refsMatching(parts)
    const found: Schedule[] = []
    for (let from = 0; from < refs.length; from += BATCH) {
      const some = await Promise.all(refs.slice(from, from + BATCH).map((ref) => this.load(ref)))
      found.push(...some.flatMap((one) => one ?? []))
      // Opening and reading them takes time, in which the process has other work.
      await setImmediate()
    }
    return found.sort(byAge)
  }

  async #dropOldDrafts({ team, user }: Schedule): Promise<void> {
    const drafts = (await this.#loadMatching({ team, user })).filter(({ state }) => state === 'draft')
    for (const draft of drafts.slice(0, -MAX_DRAFTS)) await this.remove(draft)
  }

  async due(now: number, max: number): Promise<ScheduleRef[]> {
    return (await this.#kv.indexes.range(DUE, { upTo: now, limit: max })).flatMap((name) => refOf(name) ?? [])
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
    for await (const keys of this.#kv.keys.matching(kvKey('*', 'schedule:*')))
      await Promise.all(keys.flatMap((key) => refOf(key.slice(1).replace('}:schedule', '')) ?? []).map(repairOne))
  }

  /** People of other companies make no schedules. */
  async forgetUser(person: ForgottenPerson): Promise<void> {
    const { team, user } = person
    if (isOf(person, person)) await this.#forget({ team, user })
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

  async #refsMatching({ team, channel, user, id }: Partial<ScheduleRef>): Promise<ScheduleRef[]> {
    const glob = [team, channel, user, id].map((part) => (part === undefined ? '*' : escapeGlob(part))).join(':')
    return (await this.#kv.indexes.matching(DUE, glob)).flatMap((name) => refOf(name) ?? [])
  }

  #stored(schedule: Schedule): { after: string; ttlMs: number } {
    const text = JSON.stringify(schedule)
    const after = this.#options.sealer?.seal(text, belongsTo(schedule)) ?? text
    return { after, ttlMs: ttlOf(schedule, this.#options.now()) }
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
    return this.#indexAt(schedule, nextCheckAt(schedule) ?? now + ttlOf(schedule, now))
  }

  async #indexAt(ref: ScheduleRef, score: number): Promise<void> {
    await this.#kv.indexes.add(DUE, refText(ref), { score, ttlMs: INDEX_MS })
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

const keyOf = ({ team, channel, user, id }: ScheduleRef) => kvKey(`${team}:${channel}`, `schedule:${user}:${id}`)

const belongsTo = (ref: ScheduleRef) => `schedule ${refText(ref)}`
