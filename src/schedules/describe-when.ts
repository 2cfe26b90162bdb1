/** Says in plain words when a schedule runs. */
import { CronExpressionParser, type CronDayOfMonth, type CronDayOfWeek } from 'cron-parser'
import type { When } from './when.ts'

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
export const ORDINALS = ['first', 'second', 'third', 'fourth']

/** Returns when a schedule runs, such as `Every Monday at 09:00 (Europe/Berlin)`. */
export function describeWhen(when: When): string {
  if (when.kind === 'once') return `Once, on ${describeTime(when.at, when.zone)}`
  if (when.kind === 'cron') return `${describeCrons(when)} (${when.zone})`
  return capital(describeGap(when.minutes))
}

/** A time in a zone, such as `Mon, 30 Nov 2026, 09:00 (Europe/Berlin)`. `at`: ms since the epoch. */
export function describeTime(at: number, zone: string): string {
  const date = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const local = new Intl.DateTimeFormat('en-GB', { ...date, ...time, timeZone: zone }).format(at)
  return `${local.replace(/^(\w+),? /, '$1, ').replace('Sept', 'Sep')} (${zone})`
}

function describeCrons({ cron, also = [], step }: Extract<When, { kind: 'cron' }>): string {
  const all = [cron, ...also].map(describeCron)
  const words = list(all.map((one, i) => (i === 0 ? one : `${one.slice(0, 1).toLowerCase()}${one.slice(1)}`)))
  if (!step) return words
  const { unit, n } = step
  if (n === 2) return words.replace(/^Every /, 'Every other ')
  return unit === 'day' ? words.replace(/^Every day/, `Every ${n} days`) : `${words}, every ${n} weeks`
}

/** Uses the parsed values, so that every notation of the same times gives the same words. */
function describeCron(cron: string): string {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = CronExpressionParser.parse(cron, { tz: 'UTC' }).fields
  const months = month.values.length < 12 ? ranges(month.values, monthName) : undefined
  const day = describeMonthDays(dayOfMonth, months)
  const weekday = describeWeekdays(dayOfWeek, months)
  // If both are named, it runs on either.
  const days = day && weekday ? `${day} and ${weekday}` : (day ?? weekday)
  const time = describeTimes(minute.values, hour.values)
  const everyDay = `every day${months ? ` in ${months}` : ''}`
  if (time.startsWith('at ')) return capital(`${days ?? everyDay} ${time}`)
  return capital(days || months ? `${days ?? everyDay}, ${time}` : time)
}

function describeMonthDays({ values, isWildcard }: CronDayOfMonth, months?: string): string | undefined {
  if (isWildcard || values.length === 31) return undefined
  const of = `of ${months ?? 'each month'}`
  const days = values.filter((value) => typeof value === 'number')
  if (days.length === 0) return `on the last day ${of}`
  const isRare = months === undefined && days.some((n) => n > 28)
  return `on the ${ranges(days, ordinal)} ${of}${isRare ? ' that has one' : ''}`
}

function describeWeekdays({ values, isWildcard, nthDay }: CronDayOfWeek, months?: string): string | undefined {
  if (isWildcard || values.length >= 7) return undefined
  const days = values.map((value) => parseInt(String(value), 10))
  const isLast = values.some((value) => typeof value === 'string')
  if (nthDay || isLast)
    return `on the ${isLast ? 'last' : ORDINALS[nthDay - 1]} ${ranges(days, weekdayName)} of ${months ?? 'each month'}`
  const names = days.join('') === '12345' ? 'weekday' : ranges(days, weekdayName)
  return `every ${names}${months ? ` in ${months}` : ''}`
}

/** Fewer times than this are listed one by one, even if they are evenly spaced. */
const MIN_PACED = 4
const MAX_LISTED = 8
const DAY_MINUTES = 24 * 60

function describeTimes(minutes: readonly number[], hours: readonly number[]): string {
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute))
  const [first = 0, second = 0] = times
  const gap = second - first
  const isEven = times.every((time, i) => time === first + i * gap)
  if (isEven && times.length >= MIN_PACED) {
    const isAllDay = first === 0 && times.length * gap === DAY_MINUTES
    return `${describeGap(gap)}${isAllDay ? '' : ` from ${clock(first)} to ${clock(times.at(-1) ?? 0)}`}`
  }
  if (times.length <= MAX_LISTED) return `at ${list(times.map(clock))}`
  const at = minutes.length === 1 ? 'minute' : 'minutes'
  const of = hours.length === 24 ? 'each hour' : `the hours ${ranges(hours, String)}`
  return `in ${at} ${ranges(minutes, String)} of ${of}`
}

function describeGap(minutes: number): string {
  if (minutes === 60) return 'every hour'
  if (minutes === 1) return 'every minute'
  return minutes % 60 === 0 ? `every ${minutes / 60} hours` : `every ${minutes} minutes`
}

function clock(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((n) => String(n).padStart(2, '0')).join(':')
}

/** `Monday to Wednesday and Friday`. The values are ascending. */
function ranges(values: readonly number[], name: (n: number) => string): string {
  const groups: number[][] = []
  for (const value of values) {
    const last = groups.at(-1)
    if (last?.at(-1) === value - 1) last.push(value)
    else groups.push([value])
  }
  const isLong = (group: number[]) => group.length > 2
  return list(
    groups.flatMap((group) =>
      isLong(group) ? [group[0], group.at(-1)].map((n) => name(n ?? 0)).join(' to ') : group.map(name),
    ),
  )
}

function monthName(n: number): string {
  return new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, n - 1))
}

function weekdayName(n: number): string {
  return WEEKDAYS[n % 7] ?? ''
}

function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

function ordinal(n: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' }
  return `${n}${ending[new Intl.PluralRules('en', { type: 'ordinal' }).select(n)]}`
}

function list(words: string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words)
}
