/** Dates and times of a clock in a zone. */
import { nextTimes } from './when.ts'

/** The date in a zone, YYYY-MM-DD. */
export function dateIn(zone: string, at: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(at)
}

export function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
}

/** The time of a clock on a day, ms since the epoch; undefined if there is no such day. */
export function timeOn(
  date: string,
  { hour, minute, zone }: { hour: number; minute: number; zone: string },
): number | undefined {
  const midnight = Date.parse(date)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined
  const [, month, day] = date.split('-').map(Number)
  // No zone is more than 14 hours ahead of UTC, so the day has not begun anywhere a day before.
  return nextTimes({ kind: 'cron', cron: `${minute} ${hour} ${day} ${month} *`, zone }, midnight - 86_400_000, 1)[0]
}

/** The next day of the week, of those given, on which the clock will show that time. ms since the epoch. */
export function nextOf(
  weekdays: number[],
  { hour, minute, zone, now }: { hour: number; minute: number; zone: string; now: number },
): number {
  return nextTimes({ kind: 'cron', cron: `${minute} ${hour} * * ${weekdays.join(',')}`, zone }, now, 1)[0]!
}
