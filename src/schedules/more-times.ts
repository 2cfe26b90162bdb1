/** Takes further times behind the first: `and at 17:30`, `, 12 and 17`, `and on Thursday at 14`. */
import { takeDays } from './take-days.ts'
import { isOtherHour, takeHour, type ClockTime } from './take-hour.ts'

/** At most so many times are read in one sentence. */
const MAX_TIMES = 8

/** `days`: the last three cron fields. @returns the cron expressions of all times, and what follows them */
export function takeMoreTimes(
  text: string,
  days: string,
  first: ClockTime,
  explicit: boolean,
): { crons: string[]; rest: string } {
  const times: DayTime[] = [{ ...first, days }]
  let rest = text
  let onDays = days
  while (times.length < MAX_TIMES) {
    const taken = nextHour(rest, explicit) ?? nextDay(rest)
    if (!taken) break
    onDays = taken.days ?? onDays
    times.push({ hour: taken.hour, minute: taken.minute, days: onDays })
    rest = taken.rest
  }
  return { crons: cronsOf(times), rest }
}

interface NextTime extends ClockTime {
  /** If it names other days. */
  days?: string
  rest: string
}

/** `or` names a choice, so it is not read. */
function nextHour(text: string, explicit: boolean): NextTime | undefined {
  const behind = /^ ?(?:and |,|& )(?: ?and )? ?(.*)$/is.exec(text)?.[1]
  if (behind === undefined || !isOtherHour(text)) return undefined
  return takeHour(` ${behind}`, { explicit, part: '' }) ?? takeHour(` at ${behind}`, { explicit, part: '' })
}

function nextDay(text: string): NextTime | undefined {
  const behind = /^ ?(?:and |, ?)(?:and |also )?(?:on |every |each ){0,2}(.*)$/is.exec(text)?.[1]
  const found = behind === undefined ? undefined : takeDays(`every ${behind}`, { now: 0, zone: 'UTC' })
  if (!found || !('cron' in found.days) || found.days.step) return undefined
  const clock = takeHour(found.rest, { explicit: false, part: '' })
  return clock && { ...clock, days: found.days.cron }
}

interface DayTime extends ClockTime {
  days: string
}

/** One expression for times that share their minute and days. */
function cronsOf(times: DayTime[]): string[] {
  const groups = new Map<string, Set<number>>()
  for (const { hour, minute, days } of times) {
    const key = `${minute} HOURS ${days}`
    groups.set(key, (groups.get(key) ?? new Set()).add(hour))
  }
  return [...groups].map(([key, hours]) => key.replace('HOURS', [...hours].sort((a, b) => a - b).join(',')))
}
