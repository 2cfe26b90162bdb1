/**
 * Parses `every Monday at 9 what happened?` by rules. A schedule begins with its time. A text that only mentions times
 * later is an ordinary question.
 */
import { ORDINALS, WEEKDAYS } from './describe-when.ts'
import { isCron, nextTimes, smallestGap, timeZone, type When } from './when.ts'

interface ParseContext {
  /** The asker's time zone, an IANA name. */
  zone: string
  /** Milliseconds since the epoch. */
  now: number
  /** The text followed the word `schedule`, so what cannot be parsed is a problem and not a question. */
  explicit: boolean
  /** SCHEDULE_MIN_MINUTES: the shortest time allowed between two runs, in minutes. */
  minMinutes: number
}

/** `problem`: a sentence for the asker. */
export type ParsedSchedule = { when: When; question: string } | { problem: string }

export const SCHEDULE_EXAMPLES = [
  'every Monday at 9 what happened in #ops?',
  'every weekday at 17:30 which tickets are still open?',
  'on the 1st of each month at 8:00 Europe/Berlin how did sales develop?',
  'every 4 hours is the status page green?',
  'tomorrow at 8 remind me of the release',
  'in 20 minutes check the build',
  '0 9 * * 1-5 what is new?',
]

/** Returns the text after the word `schedule` at its beginning; undefined if it does not begin so. */
export function afterScheduleWord(text: string): string | undefined {
  return /^schedule(?:\s*:|\s|$)\s*(.*)$/is.exec(text.trim())?.[1]
}

/** Undefined if the text is an ordinary question. */
export function parseSchedule(text: string, context: ParseContext): ParsedSchedule | undefined {
  const { explicit, minMinutes, now } = context
  const begun = parseTime(text.trim().replaceAll(/\s+/g, ' '), context)
  if (begun === undefined) return explicit ? { problem: 'I could not read when it should run.' } : undefined
  if ('problem' in begun) return explicit || begun.isSure ? { problem: begun.problem } : undefined
  const { when, rest } = begun
  const question = withoutMarks(rest)
  if (!/\p{L}/u.test(question))
    return explicit ? { problem: 'The question is missing. Write it after the time.' } : undefined
  if (when.kind === 'once' && when.at <= now) return explicit ? { problem: 'That time is over.' } : undefined
  if (smallestGap(when, now) >= minMinutes * 60_000) return { when, question }
  // `Every minute counts, …` is a question.
  if (!explicit && !BEGINS.test(question)) return undefined
  return { problem: `That is too often. A schedule may run at most every ${minMinutes} minutes.` }
}

/** The text without the marks between a time and its question. */
function withoutMarks(text: string): string {
  return text.replace(/^[\s,:;.–—-]+/, '')
}

/** The parsed part of a text, and the rest. `isSure`: it is not an ordinary question. */
type ParsedTime = { when: When; rest: string } | { problem: string; isSure?: boolean } | undefined

function parseTime(text: string, context: ParseContext): ParsedTime {
  return parseCron(text, context) ?? parseInterval(text, context) ?? parseDays(text, context)
}

/** Five cron fields. `2 * 3 * 4 * 5` and `2 * 3 * 4 =` are sums. */
function parseCron(text: string, { zone, explicit }: ParseContext): ParsedTime {
  const found = /^((?:\S+ ){4}\S+)(?: (.*))?$/.exec(text)
  const [, fields = '', rest = ''] = found ?? []
  if (!/^[\d*]/.test(fields) || !/^\S+ \S+ \S+ \S+ \S+$/.test(fields)) return undefined
  if (/^[-+*/=x×·÷^%]/.test(rest) || (!explicit && /^\d+ (?:\d+ \d+ \d+|\* \d+ \*) \d+$/.test(fields))) return undefined
  if (!isCron(fields)) return undefined
  const sixth = rest.split(' ')[0] ?? ''
  if (/^[\d*/,-]*[*/,-][\d*/,-]*$/.test(sixth) || (/^[0-7]$/.test(sixth) && fields.endsWith('*')))
    return { problem: 'Write five cron fields, without seconds: minute, hour, day of the month, month, weekday.' }
  const zoned = takeZone(rest, { zone, explicit })
  if ('problem' in zoned) return zoned
  return { when: { kind: 'cron', cron: fields, zone: zoned.zone }, rest: zoned.rest }
}

const ONE = /^(every|each|in an?|(?:every|each|in) (?:1|one)) (minute|min|hour|hr)\b(.*)$/is
const SEVERAL = /^(every|each|in) (\d{1,4}) (minute|min|hour|hr)s\b(.*)$/is

/** `every 4 hours`, `every hour`, `in 20 minutes`: times that need no clock. */
function parseInterval(text: string, context: ParseContext): ParsedTime {
  const [, word = '', unit, rest = ''] = ONE.exec(text) ?? []
  if (unit !== undefined) return interval({ word, minutes: minutesOf(unit), rest }, context)
  const [, each = '', number, units = '', after = ''] = SEVERAL.exec(text.replace(/ (min|hr)\b/i, ' $1s')) ?? []
  if (number === undefined) return undefined
  return interval({ word: each, minutes: Number(number) * minutesOf(units), rest: after }, context)
}

function minutesOf(unit: string): number {
  return /^h/i.test(unit) ? 60 : 1
}

function interval(
  { word, minutes, rest: behind }: { word: string; minutes: number; rest: string },
  { now, ...context }: ParseContext,
): ParsedTime {
  if (minutes === 0) return { problem: 'Write a number above zero.' }
  const zoned = takeZone(behind, context)
  if ('problem' in zoned) return zoned
  const { zone, rest } = zoned
  const isOnce = /^in/i.test(word)
  return {
    when: isOnce ? { kind: 'once', at: now + minutes * 60_000, zone } : { kind: 'every', minutes, start: now, zone },
    rest,
  }
}

/** The days of a form that needs an hour: the last three cron fields, or one day, YYYY-MM-DD. */
type Days = { cron: string } | { date: string }

function parseDays(text: string, context: ParseContext): ParsedTime {
  const days = takeDays(text, context) ?? takeDays(daysFirst(text), context)
  return days && atHour(days, context)
}

/** `at 9 every Monday what …` with the hour behind the days, as in the other forms. */
function daysFirst(text: string): string {
  const found = /^(at (?:\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\b\.?)?|noon|midnight)) (.*)$/is.exec(text)
  const [, time = '', rest = ''] = found ?? []
  const days = takeDays(rest, { now: 0, zone: 'UTC' })
  return days ? `${rest.slice(0, rest.length - days.rest.length)} ${time}${days.rest}` : ''
}

function atHour({ days, rest }: { days: Days; rest: string }, context: ParseContext): ParsedTime {
  const clock = takeHour(rest, context.explicit)
  if (!clock) return { problem: 'The hour is missing. Write it after the day, such as `at 9` or `at 17:30`.' }
  const zoned = takeZone(clock.rest, context)
  if ('problem' in zoned) return zoned
  const { zone } = zoned
  if (/^ ?(?:and|,|\/|or) ?(?:at )?\d{1,2}(?:[: ]|[ap]m)/i.test(zoned.rest))
    return { problem: 'Name one hour only, and make a schedule for each.' }
  const { hour, minute } = clock
  if ('cron' in days) return { when: { kind: 'cron', cron: `${minute} ${hour} ${days.cron}`, zone }, rest: zoned.rest }
  const at = timeOn(days.date, { hour, minute, zone })
  return at === undefined
    ? { problem: `${days.date} is no date.` }
    : { when: { kind: 'once', at, zone }, rest: zoned.rest }
}

const DAY = '(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:days?)?'
const EVERY = '(?:(?:on )?(?:every|each) )'

const DAY_FORMS: {
  form: string
  days: (found: string[], context: { now: number; zone: string }) => Days | undefined
}[] = [
  { form: `(?:${EVERY}(?:day|morning)|daily)`, days: () => ({ cron: '* * *' }) },
  { form: `(?:${EVERY}(?:weekday|workday|working day)|(?:on )?weekdays)`, days: () => ({ cron: '* * 1-5' }) },
  {
    form: String.raw`(?:${EVERY}|on (?=\S+s\b)|(?=\S+s\b))(${DAY}(?:(?:,| and|, and| &| to| through|-| -|–) ?${DAY})*)`,
    days: ([, names = '']) => weekdays(names),
  },
  {
    form: String.raw`(?:on )?the (\d{1,2}(?:st|nd|rd|th)?(?:(?:,| and|, and| &) ?(?:the )?\d{1,2}(?:st|nd|rd|th)?)*)(?: day)? of (?:each|every) month`,
    days: ([, days = '']) => monthDays(days),
  },
  {
    form: String.raw`(?:(?:each|every) month|monthly) on the (\d{1,2}(?:st|nd|rd|th)?(?:(?:,| and|, and| &) ?(?:the )?\d{1,2}(?:st|nd|rd|th)?)*)`,
    days: ([, days = '']) => monthDays(days),
  },
  { form: '(?:on )?the last day of (?:each|every|the) month', days: () => ({ cron: 'L * *' }) },
  {
    form: `(?:on )?the (${ORDINALS.join('|')}|last) (${DAY}) of (?:each|every|the) month`,
    days: ([, nth = '', name = '']) => nthWeekday(nth.toLowerCase(), name),
  },
  { form: 'today', days: (_, { now, zone }) => ({ date: dateIn(zone, now) }) },
  { form: 'tomorrow', days: (_, { now, zone }) => ({ date: dayAfter(dateIn(zone, now), 1) }) },
  {
    form: String.raw`in (\d{1,3}) days?`,
    days: ([, days = ''], { now, zone }) => ({ date: dayAfter(dateIn(zone, now), Number(days)) }),
  },
  { form: String.raw`(?:on )?(\d{4}-\d\d-\d\d)`, days: ([, date = '']) => ({ date }) },
]

/** Compiled once, because every question is parsed. */
const DAYS = DAY_FORMS.map(({ form, days }) => ({ form: new RegExp(String.raw`^${form}(?![\w-])`, 'i'), days }))

function takeDays(text: string, context: { now: number; zone: string }): { days: Days; rest: string } | undefined {
  for (const { form, days } of DAYS) {
    const found = form.exec(text)
    const read = found && days([...found], context)
    if (found && read) return { days: read, rest: text.slice(found[0].length) }
  }
  return undefined
}

function weekdayNumber(name: string): number {
  return WEEKDAYS.findIndex((day) => day.toLowerCase().startsWith(name.slice(0, 3).toLowerCase()))
}

/** `Mon, Wed and Fri`, `Monday to Friday` as a cron field. */
function weekdays(names: string): Days | undefined {
  const range = new RegExp(`^(${DAY})(?: to| through|-| -|–) ?(${DAY})$`, 'i').exec(names)
  if (!range && / to|through|-|–/.test(names)) return undefined
  const found = [...names.matchAll(new RegExp(DAY, 'gi'))].map(([name]) => weekdayNumber(name))
  if (!range) return { cron: `* * ${[...new Set(found)].sort().join(',')}` }
  const [from = 0, to = 0] = found
  return from < to ? { cron: `* * ${from}-${to}` } : undefined
}

function monthDays(text: string): Days | undefined {
  const days = [...new Set([...text.matchAll(/\d+/g)].map(Number))].sort((a, b) => a - b)
  return days.every((day) => day >= 1 && day <= 31) ? { cron: `${days.join(',')} * *` } : undefined
}

function nthWeekday(nth: string, name: string): Days {
  const weekday = weekdayNumber(name)
  return { cron: `* * ${nth === 'last' ? `${weekday}L` : `${weekday}#${ORDINALS.indexOf(nth) + 1}`}` }
}

/** Words that a question or a request begins with: before one of them a bare number is an hour. */
const BEGINS =
  /^(?:what|who|whose|which|how|when|where|why|is|are|was|were|do|does|did|has|have|can|any|anything|list|summari[sz]e|tell|show|give|post|check|report|send|find|look|search|compare|remind|count|write|please)\b/i

/**
 * An hour such as `at 9`, `9:30`, `9am`, `17:30`, `noon`. A bare number without `at` may be anything: `every day 3
 * people …`.
 */
function takeHour(text: string, explicit: boolean): { hour: number; minute: number; rest: string } | undefined {
  const named = /^,? ?(?:at )?(noon|midnight)\b(.*)$/is.exec(text)
  if (named) return { hour: named[1]?.toLowerCase() === 'noon' ? 12 : 0, minute: 0, rest: named[2] ?? '' }
  const found = /^,? ?(at )?(\d{1,2})(?::(\d\d))?(?: ?([ap])\.?m\b\.?| o['’]clock)?(?![\w/]|[:.]\d|\s?%)(.*)$/is.exec(
    text,
  )
  if (!found) return undefined
  const [, at, hours = '', minutes, half, rest = ''] = found
  const isSure = at !== undefined || minutes !== undefined || half !== undefined || explicit
  if (!isSure && !BEGINS.test(withoutMarks(takeZone(rest, { zone: 'UTC', explicit: false }).rest))) return undefined
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const minute = Number(minutes ?? 0)
  const isTime = hour < 24 && minute < 60 && (half === undefined || (Number(hours) >= 1 && Number(hours) <= 12))
  return isTime ? { hour, minute, rest } : undefined
}

type ParsedZone = { zone: string; rest: string } | { problem: string; isSure: boolean; rest: string }

/** Texts that people use for a zone but that do not name exactly one: an offset, an abbreviation, an IANA region. */
const OFFSET = /^ ?\(?((?:utc|gmt) ?[+-]\d{1,2}(?::?\d\d)?)\)?(?![\w/])(.*)$/is
const ABBREVIATION =
  /^ ?\(?((?:A[CEK]?|[CEMPH]|NZ)[SD]T|CEST|EEST|BST|[CEW]ET|HKT|IST|JST|KST|MSK|SAST|SGT)\)?(?![\w/])(.*)$/s
const REGION =
  /^(?:africa|america|antarctica|arctic|asia|atlantic|australia|brazil|canada|chile|etc|europe|indian|mexico|pacific|us)\//i

/** A zone's name right after the time, else `zone`. */
function takeZone(text: string, { zone, explicit }: { zone: string; explicit: boolean }): ParsedZone {
  const [, unknownZone, behind = ''] = OFFSET.exec(text) ?? ABBREVIATION.exec(text) ?? []
  if (unknownZone !== undefined) return { problem: notAZone(unknownZone), isSure: true, rest: behind }
  const found = /^ ?(?:in )?\(?(utc|gmt|[a-z_]+(?:\/[a-z_+-]+){1,2}[+-]?\d{0,2})\)?(?![\w/])(.*)$/is.exec(text)
  if (!found) return { zone, rest: text }
  const [, name = '', rest = ''] = found
  const known = timeZone(name)
  if (known !== undefined) return { zone: known, rest }
  const isSure = REGION.test(name)
  return isSure || (explicit && /^[A-Z][a-z]\w*\/[A-Z]/.test(name))
    ? { problem: notAZone(name), isSure, rest }
    : { zone, rest: text }
}

function notAZone(name: string): string {
  return `${name} is not a time zone that I know. Write one such as Europe/Berlin or UTC.`
}

/** The date in a zone, YYYY-MM-DD. */
function dateIn(zone: string, at: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(at)
}

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
}

/** The time of a clock on a day, ms since the epoch; undefined if there is no such day. */
function timeOn(
  date: string,
  { hour, minute, zone }: { hour: number; minute: number; zone: string },
): number | undefined {
  const midnight = Date.parse(date)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined
  const [, month, day] = date.split('-').map(Number)
  // No zone is more than 14 hours ahead of UTC, so the day has not begun anywhere a day before.
  return nextTimes({ kind: 'cron', cron: `${minute} ${hour} ${day} ${month} *`, zone }, midnight - 86_400_000, 1)[0]
}
