/** Cron schedules compared with an independent calendar: `Intl` and a walk from day to day, without cron-parser. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextTimes } from '../../src/schedules/when.ts'
import { propertyRuns } from '../harness/property-runs.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const COUNT = 3
const [FIRST, LAST] = [Date.parse('2025-12-01'), Date.parse('2033-01-01')]

/** Zones whose clocks change at night, at midnight, by half an hour, in winter or never; and with unusual offsets. */
const ZONES = [
  ...['Europe/Berlin', 'America/New_York', 'America/Santiago', 'Africa/Cairo', 'Africa/Casablanca', 'Asia/Beirut'],
  ...['Australia/Lord_Howe', 'Pacific/Chatham', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'UTC'],
]

/** A period without a change of a zone's clock, and its offset from UTC. */
interface Span {
  from: number
  until: number
  offset: number
}

/** Finds the changes of a zone's clock: compares it once a day, and then searches the minute of the change. */
function spansOf(timeZone: string): Span[] {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  const offsetAt = (at: number) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`) - at
  const spans: Span[] = [{ from: FIRST, until: LAST, offset: offsetAt(FIRST) }]
  for (let day = FIRST; day < LAST; day += DAY) {
    const last = spans.at(-1)!
    if (offsetAt(day + DAY) === last.offset) continue
    let [before, after] = [day, day + DAY]
    while (after - before > MINUTE) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE) * MINUTE
      if (offsetAt(middle) === last.offset) before = middle
      else after = middle
    }
    last.until = after
    spans.push({ from: after, until: LAST, offset: offsetAt(after) })
  }
  return spans
}

const spans = new Map(ZONES.map((zone) => [zone, spansOf(zone)]))

/** Returns the moments at which a zone's clock shows a time. A skipped time is later by the amount of the change. */
function momentsOf(shown: number, zone: string): number[] {
  const all = spans.get(zone)!
  const moments = all.flatMap(({ from, until, offset }) => {
    const at = shown - offset
    return at >= from && at < until ? [at] : []
  })
  const skipped = all.filter(({ until, offset }) => shown - offset >= until).at(-1)!
  return moments.length > 0 ? moments : [shown - skipped.offset]
}

/** A field of a cron expression, and its values; none for `*`. */
interface Field {
  text: string
  values?: number[]
}

interface Plan {
  minute: Field
  hour: Field
  day: Field
  month: Field
  weekday: Field
}

const MONTH_NAMES = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const WEEKDAY_NAMES = 'SUN MON TUE WED THU FRI SAT'.split(' ')
const L = 32

function runsOn(date: Date, { day, month, weekday }: Plan): boolean {
  const isLast = new Date(date.getTime() + DAY).getUTCDate() === 1
  const has = ({ values }: Field, value: number) => values?.includes(value) ?? true
  const isDay = has(day, date.getUTCDate()) || (isLast && day.values?.includes(L) === true)
  const isWeekday = has(weekday, date.getUTCDay())
  // If both are given, either matches.
  const isBoth = day.values !== undefined && weekday.values !== undefined
  return has(month, date.getUTCMonth() + 1) && (isBoth ? isDay || isWeekday : isDay && isWeekday)
}

/** Returns the first times of a plan after `from`, day by day. */
function expected(plan: Plan, { zone, from }: { zone: string; from: number }): number[] {
  const { minute, hour } = plan
  const range = (count: number) => Array.from({ length: count }, (_, n) => n)
  const times = new Set<number>()
  for (let date = Math.floor(from / DAY) * DAY - DAY, end = Infinity; date < end; date += DAY) {
    if (!runsOn(new Date(date), plan)) continue
    for (const h of hour.values ?? range(24))
      for (const m of minute.values ?? range(60)) {
        const moments = momentsOf(date + (h * 60 + m) * MINUTE, zone)
        // A fixed hour that the clock shows twice runs once.
        for (const at of hour.text.startsWith('*') ? moments : moments.slice(0, 1)) if (at > from) times.add(at)
      }
    if (times.size >= COUNT && end === Infinity) end = date + 2 * DAY
  }
  return [...times].sort((a, b) => a - b).slice(0, COUNT)
}

/** Returns a field: one value, a list, a range, or a range with a step. `names` are the values as words. */
function field({ min, max, names }: { min: number; max: number; names?: string[] }): fc.Arbitrary<Field> {
  const name = (n: number) => names?.[n - min] ?? String(n)
  const between = (from: number, to: number, step = 1) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step)
  const value = fc.integer({ min, max })
  const ends = fc.tuple(value, value).map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)])
  return fc.oneof(
    value.map((n) => ({ text: name(n), values: [n] })),
    fc
      .uniqueArray(value, { minLength: 2, maxLength: 3 })
      .map((all) => ({ text: all.map(name).join(','), values: all })),
    ends.map(([from, to]) => ({ text: `${name(from)}-${name(to)}`, values: between(from, to) })),
    fc
      .tuple(ends, fc.integer({ min: 2, max: 4 }))
      .map(([[from, to], step]) => ({ text: `${name(from)}-${name(to)}/${step}`, values: between(from, to, step) })),
  )
}

function steps({ min, max, by }: { min: number; max: number; by: number[] }): fc.Arbitrary<Field> {
  return fc.constantFrom(...by).map((step) => ({
    text: `*/${step}`,
    values: Array.from({ length: Math.floor((max - min) / step) + 1 }, (_, n) => min + n * step),
  }))
}

const any = fc.constant<Field>({ text: '*' })
const minutes = fc.oneof(field({ min: 0, max: 59 }), steps({ min: 0, max: 59, by: [5, 7, 10, 15, 20, 30] }))
const hours = fc.oneof(
  field({ min: 0, max: 23 }),
  field({ min: 0, max: 4 }),
  steps({ min: 0, max: 23, by: [2, 3, 5] }),
  any,
)
const monthEnds = fc.constantFrom<Field>(
  ...[29, 30, 31].map((n) => ({ text: String(n), values: [n] })),
  { text: 'L', values: [L] },
  { text: '28-31', values: [28, 29, 30, 31] },
)
const days = fc.oneof(field({ min: 1, max: 31 }), monthEnds, steps({ min: 1, max: 31, by: [2, 10] }))
const months = fc.oneof(field({ min: 1, max: 12 }), field({ min: 1, max: 12, names: MONTH_NAMES }))
const weekdays = fc.oneof(
  field({ min: 0, max: 6 }),
  field({ min: 0, max: 6, names: WEEKDAY_NAMES }),
  fc.constantFrom<Field>({ text: '1-5', values: [1, 2, 3, 4, 5] }, { text: '7', values: [0] }),
)
const time = { minute: minutes, hour: hours }

const plans: fc.Arbitrary<Plan> = fc.oneof(
  fc.record({ ...time, day: any, month: any, weekday: any }),
  fc.record({ ...time, day: any, month: any, weekday: weekdays }),
  fc.record({ ...time, day: days, month: any, weekday: any }),
  fc.record({ ...time, day: days, month: any, weekday: weekdays }),
  // Every month has these days.
  fc.record({ ...time, day: fc.oneof(field({ min: 1, max: 28 }), any), month: months, weekday: any }),
)

/** Around clock changes in the north and south, and anywhere in 2026 to 2028. */
const moments = fc.oneof(
  ...[
    '2026-03-08',
    '2026-03-29',
    '2026-10-25',
    '2026-11-01',
    '2027-04-04',
    '2027-09-05',
    '2027-10-03',
    '2028-02-28',
  ].map((date) => fc.integer({ min: Date.parse(date) - 2 * DAY, max: Date.parse(date) + 2 * DAY })),
  fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2028-12-31') }),
)

const RUNS = propertyRuns({ test: 300, chaos: 10_000 })

test(`the next times of ${RUNS} schedules match an independent calendar`, () => {
  fc.assert(
    fc.property(plans, fc.constantFrom(...ZONES), moments, (plan, zone, from) => {
      const cron = [plan.minute, plan.hour, plan.day, plan.month, plan.weekday].map(({ text }) => text).join(' ')
      expect(nextTimes({ kind: 'cron', cron, zone }, from, COUNT)).toEqual(expected(plan, { zone, from }))
    }),
    { numRuns: RUNS },
  )
})

test('an interval continues in real time from its start, across daylight saving too', () => {
  const start = Date.parse('2026-10-24T22:10Z')
  const every = { kind: 'every', minutes: 60, start, zone: 'Europe/Berlin' } as const
  expect(nextTimes(every, start - 1, 2)).toEqual([start + 3_600_000, start + 7_200_000])
  expect(nextTimes(every, start + 3_600_000, 1)).toEqual([start + 7_200_000])
})

test('a half-hourly schedule runs in real time when clocks are put back', () => {
  const from = Date.parse('2026-10-24T23:50Z')
  const times = nextTimes({ kind: 'cron', cron: '*/30 * * * *', zone: 'Europe/Berlin' }, from, 6)
  expect(times).toEqual([10, 40, 70, 100, 130, 160].map((minutes) => from + minutes * 60_000))
})
