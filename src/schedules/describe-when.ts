/** Says in plain words when a schedule runs. */
import type { When } from './when.ts'

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
export const ORDINALS = ['first', 'second', 'third', 'fourth']

/** Returns when a schedule runs, such as `Every Monday at 09:00 (Europe/Berlin)`. */
export function describeWhen(when: When): string {
  if (when.kind === 'once') return `Once, on ${describeTime(when.at, when.zone)}`
  if (when.kind === 'cron') return `${describeCron(when.cron)} (${when.zone})`
  const { minutes } = when
  if (minutes === 60) return 'Every hour'
  return minutes % 60 === 0 ? `Every ${minutes / 60} hours` : `Every ${minutes} minutes`
}

/** A time in a zone, such as `Mon, 30 Nov 2026, 09:00 (Europe/Berlin)`. `at`: ms since the epoch. */
export function describeTime(at: number, zone: string): string {
  const date = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const local = new Intl.DateTimeFormat('en-GB', { ...date, ...time, timeZone: zone }).format(at)
  return `${local.replace(/^(\w+),? /, '$1, ').replace('Sept', 'Sep')} (${zone})`
}

function describeCron(cron: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ')
  const days = month === '*' ? describeDays(day, weekday) : undefined
  if (days === undefined || !/^\d+$/.test(minute) || !/^\d+$/.test(hour))
    return `At the times of the cron expression ${cron}`
  return `${days} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
}

function describeDays(day: string, weekday: string): string | undefined {
  if (day === '*' && weekday === '*') return 'Every day'
  if (day === '*') return describeWeekdays(weekday)
  if (weekday !== '*') return undefined
  if (day === 'L') return 'On the last day of each month'
  if (!/^\d+(?:,\d+)*$/.test(day)) return undefined
  const days = day.split(',').map(Number)
  const isRare = days.some((n) => n > 28)
  return `On the ${list(days.map(ordinal))} of each month${isRare ? ' that has one' : ''}`
}

function describeWeekdays(weekday: string): string | undefined {
  if (weekday === '1-5') return 'Every weekday'
  const nth = /^(\d)(?:#(\d)|L)$/.exec(weekday)
  if (nth) return `On the ${nth[2] ? ORDINALS[Number(nth[2]) - 1] : 'last'} ${WEEKDAYS[Number(nth[1])]} of each month`
  if (!/^[0-7](?:,[0-7])*$/.test(weekday)) return undefined
  return `Every ${list(weekday.split(',').map((n) => WEEKDAYS[Number(n) % 7] ?? ''))}`
}

function ordinal(n: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' }
  return `${n}${ending[new Intl.PluralRules('en', { type: 'ordinal' }).select(n)]}`
}

function list(words: string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words)
}
