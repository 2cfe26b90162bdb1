import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextTimes } from '../../src/schedules/when.ts'

const DAY = 86_400_000
const ZONES = ['Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC']
const formats = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' }),
  ]),
)

/** What a clock in the zone shows, as if it were UTC, ms. */
function wall(at: number, zone: string): number {
  return Date.parse(`${formats.get(zone)?.format(at).replace(' ', 'T')}Z`)
}

/**
 * The first moment at which a clock in the zone shows the time; in the hour that spring leaves out, as much later as
 * the clock was put forward. An independent calendar: `Intl` and arithmetic alone.
 */
function momentOf(shown: number, zone: string): number {
  const before = shown - (wall(shown - DAY, zone) - (shown - DAY))
  const after = shown - (wall(shown + DAY, zone) - (shown + DAY))
  const first = Math.min(before, after)
  if (wall(first, zone) === shown) return first
  return Math.max(before, after)
}

interface Plan {
  hour: number
  minute: number
  weekday?: number
  day?: number
}

/** The first times of a plan after `from`, day by day. */
function expected({ hour, minute, weekday, day }: Plan, { zone, from }: { zone: string; from: number }): number[] {
  const times: number[] = []
  for (let date = Math.floor(from / DAY) * DAY - DAY; times.length < 3; date += DAY) {
    const there = new Date(date)
    if (weekday !== undefined && there.getUTCDay() !== weekday) continue
    if (day !== undefined && there.getUTCDate() !== day) continue
    const at = momentOf(date + (hour * 60 + minute) * 60_000, zone)
    if (at > from) times.push(at)
  }
  return times
}

const plans = fc.oneof(
  fc.record({ hour: fc.nat(23), minute: fc.nat(59) }),
  fc.record({ hour: fc.nat(4), minute: fc.constantFrom(0, 15, 30, 45) }),
  fc.record({ hour: fc.nat(23), minute: fc.nat(59), weekday: fc.nat(6) }),
  fc.record({ hour: fc.nat(23), minute: fc.nat(59), day: fc.integer({ min: 1, max: 31 }) }),
)

/** Around both changes of daylight saving, north and south, and anywhere in 2026 to 2028. */
const moments = fc.oneof(
  ...['2026-03-08', '2026-03-29', '2026-10-25', '2026-11-01', '2027-04-04', '2027-10-03', '2028-02-28'].map((date) =>
    fc.integer({ min: Date.parse(date) - 2 * DAY, max: Date.parse(date) + 2 * DAY }),
  ),
  fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2028-12-31') }),
)

test('the next times of a schedule are those of an independent calendar, over daylight saving and the ends of months', () => {
  fc.assert(
    fc.property(plans, fc.constantFrom(...ZONES), moments, (plan: Plan, zone, from) => {
      const cron = `${plan.minute} ${plan.hour} ${plan.day ?? '*'} * ${plan.weekday ?? '*'}`
      expect(nextTimes({ kind: 'cron', cron, zone }, from, 3)).toEqual(expected(plan, { zone, from }))
    }),
    { numRuns: Number(process.env.SCHEDULE_RUNS ?? 500) },
  )
})

test('an interval goes on from its start by real time, over daylight saving too', () => {
  const start = Date.parse('2026-10-24T22:10Z')
  const every = { kind: 'every', minutes: 60, start, zone: 'Europe/Berlin' } as const
  expect(nextTimes(every, start - 1, 2)).toEqual([start + 3_600_000, start + 7_200_000])
  expect(nextTimes(every, start + 3_600_000, 1)).toEqual([start + 7_200_000])
})

test('what runs each half hour does so by real time where the clock is put back', () => {
  const from = Date.parse('2026-10-24T23:50Z')
  const times = nextTimes({ kind: 'cron', cron: '*/30 * * * *', zone: 'Europe/Berlin' }, from, 6)
  expect(times).toEqual([10, 40, 70, 100, 130, 160].map((minutes) => from + minutes * 60_000))
})
