/**
 * Parses `every Monday at 9 what happened?` by rules. A schedule begins with its time. A text that only mentions times
 * later is an ordinary question.
 */
import { ORDINALS, WEEKDAYS } from './describe-when.ts'
import { begins, conditionIn, isForLater, isStatement, notUnderstood, rareTimes } from './request-words.ts'
import { dateIn, dayAfter, nextOf, timeOn } from './dates-in-zone.ts'
import { takeZone } from './take-zone.ts'
import { isCron, smallestGap, type When } from './when.ts'

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

/** Undefined for an ordinary question. */
export function parseSchedule(text: string, context: ParseContext): ParsedSchedule | undefined {
  const { explicit, minMinutes, now } = context
  const begun = parseTime(text.trim().replaceAll(/\s+/g, ' '), context)
  if (begun === undefined) return explicit ? { problem: 'I could not read when it should run.' } : undefined
  if ('problem' in begun) return explicit || begun.isSure ? { problem: begun.problem } : undefined
  const { when, rest, isUsual = true } = begun
  const question = withoutMarks(rest)
  if (!explicit && (isStatement(question, when.kind === 'once') || (!isUsual && !isForLater(question))))
    return undefined
  const condition = conditionIn(rest)
  if (condition !== undefined) return { problem: notUnderstood(condition) }
  if (!/\p{L}/u.test(question))
    return explicit ? { problem: 'The question is missing. Write it after the time.' } : undefined
  if (when.kind === 'once' && when.at <= now) return explicit ? { problem: 'That time is over.' } : undefined
  if (smallestGap(when, now) >= minMinutes * 60_000) return { when, question }
  // `Every minute counts, …` is a question.
  if (!explicit && !begins(question)) return undefined
  return { problem: `That is too often. A schedule may run at most every ${minMinutes} minutes.` }
}

/** The text without the marks between a time and its question. */
function withoutMarks(text: string): string {
  return text.replace(/^[\s,:;.–—-]+/, '')
}

/** The parsed part of a text, and the rest. `isSure`: it is no ordinary question. `isUsual: false`: it may be one. */
type ParsedTime = { when: When; rest: string; isUsual?: boolean } | { problem: string; isSure?: boolean } | undefined

function parseTime(text: string, context: ParseContext): ParsedTime {
  const read = parseCron(text, context) ?? parseInterval(text, context) ?? parseDays(text, context)
  if (read && !('problem' in read)) return read
  const rare = rareTimes(text)
  return rare === undefined ? read : { problem: notUnderstood(rare), isSure: true }
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
  // `every hour and a half`
  const half = minutes === 60 ? /^ and a half\b(.*)$/is.exec(behind) : null
  if (half) return interval({ word, minutes: 90, rest: half[1] ?? '' }, { now, ...context })
  const zoned = takeZone(behind, context)
  if ('problem' in zoned) return zoned
  const { zone, rest } = zoned
  const isOnce = /^in/i.test(word)
  return {
    when: isOnce ? { kind: 'once', at: now + minutes * 60_000, zone } : { kind: 'every', minutes, start: now, zone },
    rest,
  }
}

/**
 * The days of a form that needs an hour: the last three cron fields, one day (YYYY-MM-DD), or the next day of `names`
 * on which that hour is still to come.
 */
type Days = { cron: string } | { date: string } | { next: number[] }

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

function atHour({ days, rest, text }: TakenDays, context: ParseContext): ParsedTime {
  const [whole, part = ''] = /^ (?:in the )?(morning|afternoon|evening|night)\b/i.exec(rest) ?? ['']
  const clock = takeHour(rest.slice(whole.length), { ...context, part: part || partOf(text) })
  const condition = clock ? undefined : conditionIn(rest)
  if (
    condition !== undefined &&
    !/^at /i.test(condition) &&
    (/\d/.test(condition) || / at (?:\d|noon|midnight)/i.test(rest.slice(0, 80)))
  )
    return { problem: notUnderstood(condition), isSure: true }
  if (!clock) return { problem: 'The hour is missing. Write it after the day, such as `at 9` or `at 17:30`.' }
  const zoned = takeZone(clock.rest, context)
  if ('problem' in zoned) return zoned
  const { zone } = zoned
  if (/^ ?(?:and|,|\/|or) ?(?:at )?\d{1,2}(?:[: ]|[ap]m)/i.test(zoned.rest))
    return { problem: 'Name one hour only, and make a schedule for each.' }
  const { hour, minute } = clock
  if ('next' in days) {
    const at = nextOf(days.next, { hour, minute, zone, now: context.now })
    return { when: { kind: 'once', at, zone }, rest: zoned.rest, isUsual: false }
  }
  if ('cron' in days) return { when: { kind: 'cron', cron: `${minute} ${hour} ${days.cron}`, zone }, rest: zoned.rest }
  const at = timeOn(days.date, { hour, minute, zone })
  return at === undefined
    ? { problem: `${days.date} is no date.` }
    : { when: { kind: 'once', at, zone }, rest: zoned.rest }
}

/** The part of the day in words such as `every evening`. */
function partOf(text: string): string {
  return /(?:(afternoon|evening)|to(night)|(night))s?$/i.exec(text)?.slice(1).find(Boolean) ?? ''
}

const DAY = '(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:days?)?'
const EVERY = '(?:(?:on )?(?:every|each) )'

const DAY_FORMS: {
  form: string
  days: (found: string[], context: { now: number; zone: string }) => Days | undefined
}[] = [
  { form: `(?:${EVERY}(?:day|morning|afternoon|evening|night)|daily|nightly)`, days: () => ({ cron: '* * *' }) },
  { form: `(?:${EVERY}week-?ends?|(?:on |at )?week-?ends)`, days: () => ({ cron: '* * 0,6' }) },
  // `every 9am`
  {
    form: String.raw`(?:every|each)(?= (?:\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\d{1,2}:\d\d(?!\d)|noon\b|midnight\b))`,
    days: () => ({ cron: '* * *' }),
  },
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
  {
    form: `(?:on |on the |next |this |this coming |on next )?(${DAY})`,
    days: ([, name = '']) => ({ next: [weekdayNumber(name)] }),
  },
  {
    form: '(?:today|tonight|this)(?= (?:morning|afternoon|evening|night)\\b)|tonight',
    days: (_, { now, zone }) => ({ date: dateIn(zone, now) }),
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

/** `text`: the words of the days. */
interface TakenDays {
  days: Days
  rest: string
  text: string
}

function takeDays(text: string, context: { now: number; zone: string }): TakenDays | undefined {
  for (const { form, days } of DAYS) {
    const found = form.exec(text)
    const read = found && days([...found], context)
    if (found && read) return { days: read, rest: text.slice(found[0].length), text: found[0] }
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

/**
 * An hour such as `at 9`, `9:30`, `9am`, `17:30`, `noon`. A bare number without `at` may be anything: `every day 3
 * people …`.
 */
function takeHour(
  text: string,
  { explicit, part }: { explicit: boolean; part: string },
): { hour: number; minute: number; rest: string } | undefined {
  const named = /^,? ?(?:at )?(noon|midnight)\b(.*)$/is.exec(text)
  if (named) return { hour: named[1]?.toLowerCase() === 'noon' ? 12 : 0, minute: 0, rest: named[2] ?? '' }
  const found = /^,? ?(at )?(\d{1,2})(?::(\d\d))?(?: ?([ap])\.?m\b\.?| o['’]clock)?(?![\w/]|[:.]\d|\s?%)(.*)$/is.exec(
    text,
  )
  if (!found) return undefined
  const [, at, hours = '', minutes, half, rest = ''] = found
  const isSure = at !== undefined || minutes !== undefined || half !== undefined || explicit
  if (!isSure && !begins(withoutMarks(takeZone(rest, { zone: 'UTC', explicit: false }).rest))) return undefined
  // `every evening at 6`
  const isLate = half === undefined && Number(hours) < 12 && Number(hours) >= (EARLIEST[part.toLowerCase()] ?? 12)
  const hour =
    half === undefined
      ? Number(hours) + (isLate ? 12 : 0)
      : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const minute = Number(minutes ?? 0)
  const isTime = hour < 24 && minute < 60 && (half === undefined || (Number(hours) >= 1 && Number(hours) <= 12))
  return isTime ? { hour, minute, rest } : undefined
}

/** From which hour on a number is one after noon. */
const EARLIEST: Record<string, number> = { afternoon: 1, evening: 4, night: 6 }
