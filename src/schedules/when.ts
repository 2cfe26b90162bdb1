/**
 * Computes when a schedule runs. cron-parser evaluates the expression in UTC, as if UTC were the local wall-clock
 * time, because its own daylight-saving code throws in zones that shift by half an hour (Australia/Lord_Howe).
 */
import { CronExpressionParser } from 'cron-parser'
import { z } from 'zod'

/** Only every n-th day or week counts. */
const stepSchema = z.object({
  unit: z.enum(['day', 'week']),
  n: z.number().min(1),
  /** A day that counts, or the Monday of a week that counts, in days since 1970 on the clock of the zone. */
  from: z.number(),
})
export type ScheduleStep = z.infer<typeof stepSchema>

/** An IANA name. */
const zone = z.string()

/** When a schedule runs. Times are ms since the epoch. */
export const whenSchema = z.discriminatedUnion('kind', [
  /** Five fields, read in `zone`; `also`: further ones. */
  z.object({
    kind: z.literal('cron'),
    cron: z.string(),
    also: z.array(z.string()).optional(),
    step: stepSchema.optional(),
    zone,
  }),
  /** Each `minutes` from `start` on. */
  z.object({ kind: z.literal('every'), minutes: z.number(), start: z.number(), zone }),
  z.object({ kind: z.literal('once'), at: z.number(), zone }),
])
export type When = z.infer<typeof whenSchema>

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const YEAR = 366 * DAY
/** No zone moves its clock by more in daylight saving. */
const MAX_SHIFT = 120 * MINUTE
/** Enough to see the smallest gap of a cron expression that runs 50 times a day; a denser one has small gaps anyway. */
const MAX_GAPS = 100

/** The next times strictly after `after`, in ascending order, at most `count`; fewer if the schedule ends before. */
export function nextTimes(when: When, after: number, count: number): number[] {
  if (when.kind === 'once') return when.at > after && count > 0 ? [when.at] : []
  if (when.kind === 'cron') return cronTimes(when, after, count)
  const gap = when.minutes * MINUTE
  const passed = Math.max(0, Math.floor((after - when.start) / gap))
  return Array.from({ length: count }, (_, n) => when.start + (passed + n + 1) * gap)
}

type Cron = Extract<When, { kind: 'cron' }>

function cronTimes({ also = [], ...when }: Cron, after: number, count: number): number[] {
  const times = [when.cron, ...also].flatMap((cron) => timesOf({ ...when, cron }, after, count))
  return [...new Set(times)].sort((a, b) => a - b).slice(0, count)
}

/** A step never skips more times in a row than this: 50 a day, for 60 days. */
const MAX_SKIPPED = 3_000

function timesOf({ cron, zone, step }: Cron, after: number, count: number): number[] {
  const clock = clockOf(zone)
  const expression = CronExpressionParser.parse(cron, { currentDate: new Date(clock(after) - MAX_SHIFT), tz: 'UTC' })
  const runsByTheHour = cron.split(' ')[1]?.startsWith('*') === true
  const times = new Set<number>()
  // When the clock is set back, a later wall-clock time can be an earlier moment.
  let skipped = 0
  for (let end = Infinity; skipped < MAX_SKIPPED;) {
    const shown = expression.next().getTime()
    if (shown > end) break
    if (step && !counts(step, shown)) {
      skipped++
      continue
    }
    const moments = momentsOf(shown, clock)
    for (const moment of runsByTheHour ? moments : moments.slice(0, 1)) if (moment > after) times.add(moment)
    if (end === Infinity && times.size >= count) end = shown + MAX_SHIFT
  }
  return [...times].sort((a, b) => a - b).slice(0, count)
}

/** `shown`: the time on the clock, as if it were UTC. */
function counts({ unit, n, from }: ScheduleStep, shown: number): boolean {
  const days = Math.floor(shown / DAY) - from
  return (unit === 'day' ? days : Math.floor(days / 7)) % n === 0
}

/** The step whose first day or week is that of the next time after `now`. */
export function stepFrom({ unit, n }: Pick<ScheduleStep, 'unit' | 'n'>, when: Cron, now: number): ScheduleStep {
  const [first = now] = cronTimes(when, now, 1)
  const day = Math.floor(clockOf(when.zone)(first) / DAY)
  // 1970 began on a Thursday.
  return { unit, n, from: unit === 'day' ? day : day - ((day + 3) % 7) }
}

/** Returns the time that a clock in the zone shows at a moment, as if it were UTC: ms, whole minutes. */
export function clockOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  return (at) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`)
}

/**
 * The moments at which a clock shows a time, in order: two if the clock is set back then. A time that is skipped when
 * the clock is set forward counts as that much later.
 */
export function momentsOf(shown: number, clock: (at: number) => number): number[] {
  const offsets = [shown - DAY, shown + DAY].map((near) => clock(near) - near)
  const moments = [...new Set(offsets.map((offset) => shown - offset))].sort((a, b) => a - b)
  const exact = moments.filter((moment) => clock(moment) === shown)
  return exact.length > 0 ? exact : moments.slice(-1)
}

/**
 * The smallest gap between two runs in the year after `from`, in ms, without daylight saving; Infinity for a single
 * run.
 */
export function smallestGap(when: When, from: number): number {
  if (when.kind === 'once') return Infinity
  if (when.kind === 'every') return when.minutes * MINUTE
  if (when.also) {
    const times = cronTimes({ ...when, zone: 'UTC' }, from, MAX_GAPS)
    return Math.min(...times.slice(1).map((time, i) => time - (times[i] ?? 0)))
  }
  const expression = CronExpressionParser.parse(when.cron, { currentDate: new Date(from), tz: 'UTC' })
  let smallest = YEAR
  let last = expression.next().getTime()
  for (let n = 0; n < MAX_GAPS && last < from + YEAR; n++) {
    const time = expression.next().getTime()
    smallest = Math.min(smallest, time - last)
    last = time
  }
  return smallest
}

/**
 * Returns a time zone's name in its usual spelling, such as `Europe/Berlin` or `UTC`. Undefined if it is not a zone.
 */
export function timeZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

const CRON_PART = String.raw`(?:\*|[a-z]{3}|\d{1,2})(?:-(?:[a-z]{3}|\d{1,2}))?(?:/\d{1,2})?`
const CRON = new RegExp(String.raw`^(?:${CRON_PART}(?:,${CRON_PART})*(?: |$)){5}$`, 'i')

/**
 * Returns whether five fields are an ordinary cron expression, without names of times and without random or special
 * fields.
 */
export function isCron(fields: string): boolean {
  if (!CRON.test(fields)) return false
  try {
    CronExpressionParser.parse(fields, { currentDate: new Date(0), tz: 'UTC' }).next()
    return true
  } catch {
    return false
  }
}
