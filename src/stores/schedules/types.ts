import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ForgottenPerson, Forgetting, Moving, Person, Place } from '../../base/place.ts'
import { nextTimes, whenSchema } from '../../schedules/when.ts'

/** Identifies a schedule, and says whose it is and where it posts. */
export interface ScheduleRef extends Place, Person {
  id: string
}

const costSchema = z.object({
  /** Undefined if the model has no price. */
  usd: z.number().optional(),
  tokens: z.number(),
})
export type Cost = z.infer<typeof costSchema>

/** Kept until the next deferral, so that a retry after a crash does not ask the same occurrence twice. */
const deferralSchema = z.object({
  /** The occurrence's time. */
  at: z.number(),
  /** How often it had to wait. */
  n: z.number(),
  /** When it is asked again; absent once it is. */
  from: z.number().optional(),
})
export type Deferral = z.infer<typeof deferralSchema>

const pauseReason = z.enum([
  ...(['person', 'failures', 'makerGone', 'makerGuest', 'notAllowed', 'makerLeft'] as const),
  ...(['archived', 'botLeft', 'becamePrivate', 'becameShared', 'budget'] as const),
])
export type PauseReason = z.infer<typeof pauseReason>

const pauseSchema = z.object({
  why: pauseReason,
  at: z.number(),
  /** The occurrence that found the reason. Absent if a person paused it. */
  by: z.string().optional(),
})
type Pause = z.infer<typeof pauseSchema>

const runSchema = z.object({
  occurrence: z.string(),
  /** The occurrence's time. */
  due: z.number(),
  at: z.number(),
  /**
   * How an occurrence ended. `quiet`: there was nothing to say. `missed`: nothing was running when it was due. `late`:
   * it was enqueued in time, and its turn came too late. `skipped`: the one before was still at work. `limited`: a
   * usage limit was reached.
   */
  end: z.enum(['answered', 'gave_up', 'stopped', 'failed', 'quiet', 'missed', 'late', 'skipped', 'limited']),
  cost: costSchema.optional(),
  /** The number of times missed in a row. */
  count: z.number().optional(),
})
export type ScheduleRun = z.infer<typeof runSchema>

/**
 * A question that is asked again and again, or once later, on behalf of the person who made it. Times in ms since the
 * epoch.
 */
export const scheduleSchema = z.object({
  id: z.string(),
  team: z.string(),
  channel: z.string(),
  user: z.string(),
  createdAt: z.number(),
  /** The app of SLACK_APPS through which it was made. */
  app: z.string().optional(),
  /** The question as the person wrote it, with its time: *Change* shows it. */
  text: z.string(),
  question: z.string(),
  when: whenSchema,
  /** The smallest gap between two runs, in ms. Absent if it runs once. */
  gapMs: z.number().optional(),
  /** `draft`: shown to its creator, not saved yet. `over`: its only time has passed. */
  state: z.enum(['draft', 'active', 'paused', 'over']),
  /** The next occurrence that is not enqueued yet. Absent unless active. */
  due: z.number().optional(),
  paused: pauseSchema.optional(),
  /** The latest occurrence that had to wait for room under a limit. */
  again: deferralSchema.optional(),
  /** The channel's state when the schedule was made. */
  place: z.object({ isPrivate: z.boolean(), isShared: z.boolean(), isMember: z.boolean() }),
  /** The occurrence at work. */
  running: z.object({ occurrence: z.string(), since: z.number() }).optional(),
  /** Failures in a row. */
  failures: z.number(),
  /** Newest first; at most `MAX_RUNS`, including the newest one that reported something. */
  runs: z.array(runSchema),
  /** The cost of runs, by day since the epoch, for 30 days. */
  spent: z.record(z.string(), costSchema),
  /** The cost of a draft's trial run. */
  tried: costSchema.optional(),
  /** The id of the schedule that a draft changes. */
  replaces: z.string().optional(),
})
export type Schedule = z.infer<typeof scheduleSchema>

const MAX_RUNS = 5

/** Drafts of a person in a workspace: cards that wait for a press. */
export const MAX_DRAFTS = 5

/** Schedules. Each change is atomic; an index of times tells which ones are due. */
export interface ScheduleStore extends Forgetting, Moving {
  load(ref: ScheduleRef): Promise<Schedule | undefined>
  /**
   * Stores a schedule, unless it is stored already. A new draft replaces its creator's oldest one beyond `MAX_DRAFTS`.
   */
  add(schedule: Schedule): Promise<void>
  /**
   * Changes a schedule in one atomic step; `change` may be called several times, and returns undefined to change
   * nothing.
   * @returns the changed schedule, or undefined if nothing was changed
   */
  update(ref: ScheduleRef, change: (schedule: Schedule) => Schedule | undefined): Promise<Schedule | undefined>
  remove(ref: ScheduleRef): Promise<void>
  /** Drops the name of a schedule that is gone. One that cannot be read stays, and is due again in five minutes. */
  skip(ref: ScheduleRef): Promise<void>
  /** All schedules of a workspace, or of a person or a channel in it, except drafts, the oldest first. */
  list(of: { team: string; user?: string; channel?: string }): Promise<Schedule[]>
  /** At most `max` schedules whose time has come (`wakeAt`), the earliest first. */
  due(now: number, max: number): Promise<ScheduleRef[]>
  forgetUser(person: ForgottenPerson): Promise<void>
  /** Adds entries to the index that a crash left out. */
  repair(): Promise<void>
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** How long a schedule is stored without a change: longer than the longest gap. A draft waits for a press. */
const TTL_MS: Record<Schedule['state'], number> = {
  draft: DAY_MS,
  active: 400 * DAY_MS,
  paused: 365 * DAY_MS,
  over: 7 * DAY_MS,
}

export function ttlOf({ state, due = 0 }: Schedule, now: number): number {
  return Math.max(TTL_MS[state], due - now + 30 * DAY_MS)
}

/** Returns when the occurrence of a time begins: repeated ones are spread over a minute by a hash of their id. */
export function beginsAt({ id, when }: Pick<Schedule, 'id' | 'when'>, due: number): number {
  return when.kind === 'once' ? due : due + (createHash('sha256').update(id).digest().readUInt32BE() % MINUTE_MS)
}

/** Returns when the scheduler looks at a schedule next. */
export function nextCheckAt({ due, again, ...schedule }: Schedule): number | undefined {
  const times = [due === undefined ? [] : beginsAt(schedule, due), again?.from ?? []].flat()
  return times.length > 0 ? Math.min(...times) : undefined
}

/** Returns the schedule as active from `now` on; over if it has no time any more. */
export function activated({ paused: _, due: __, again: ___, ...schedule }: Schedule, now: number): Schedule {
  const [due] = nextTimes(schedule.when, now, 1)
  return due === undefined ? { ...schedule, state: 'over' } : { ...schedule, state: 'active', due, failures: 0 }
}

export function pausedSchedule({ due: _, again: __, ...schedule }: Schedule, paused: Pause): Schedule {
  return { ...schedule, state: 'paused', paused }
}

/** Returns whether it ended after a run. */
export function endedARun({ end }: Pick<ScheduleRun, 'end'>): boolean {
  return !['missed', 'late', 'skipped', 'limited'].includes(end)
}

/** Returns whether a run has answered, or found nothing to report: the next one continues from its time. */
export function hasReported({ end }: ScheduleRun): boolean {
  return end === 'answered' || end === 'quiet'
}

/** Returns the schedule with one more run. A run that is there already is replaced, so that a retry counts once. */
export function withRun(schedule: Schedule, run: ScheduleRun): Schedule {
  const before = schedule.runs.find(({ occurrence }) => occurrence === run.occurrence)
  const others = schedule.runs.filter((one) => one !== before)
  const all = [run, ...others].sort((one, other) => other.due - one.due)
  const recent = all.slice(0, MAX_RUNS)
  const lastReported = all.find(hasReported)
  const runs = lastReported && !recent.includes(lastReported) ? [...recent.slice(0, -1), lastReported] : recent
  return { ...schedule, runs, spent: spentWith(schedule.spent, { run, before }) }
}

function spentWith(
  spent: Schedule['spent'],
  { run, before }: { run: ScheduleRun; before: ScheduleRun | undefined },
): Schedule['spent'] {
  const today = Math.floor(run.at / DAY_MS)
  const kept = Object.entries(spent).filter(([day]) => Number(day) > today - 30)
  const sum = plus(Object.fromEntries(kept)[today], run.cost, 1)
  return { ...Object.fromEntries(kept), ...(run.cost || sum.tokens ? { [today]: plus(sum, before?.cost, -1) } : {}) }
}

/** Returns the cost of the runs of the last 30 days. */
export function spentIn30Days({ spent }: Schedule, now: number): Cost {
  const since = Math.floor(now / DAY_MS) - 30
  return Object.entries(spent)
    .filter(([day]) => Number(day) > since)
    .reduce<Cost>((sum, [, cost]) => plus(sum, cost, 1), { tokens: 0 })
}

function plus(sum: Cost = { tokens: 0 }, cost: Cost = { tokens: 0 }, sign: 1 | -1): Cost {
  const usd = sum.usd === undefined && cost.usd === undefined ? {} : { usd: (sum.usd ?? 0) + sign * (cost.usd ?? 0) }
  return { tokens: sum.tokens + sign * cost.tokens, ...usd }
}

/** The text that names a schedule in a button. */
export function refText({ team, channel, user, id }: ScheduleRef): string {
  return [team, channel, user, id].join(':')
}

export function refOf(text: string): ScheduleRef | undefined {
  const [team, channel, user, id, ...rest] = text.split(':')
  return team && channel && user && id && rest.length === 0 ? { team, channel, user, id } : undefined
}
