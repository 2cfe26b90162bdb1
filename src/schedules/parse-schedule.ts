/**
 * Parses `every Monday at 9 what happened?` by rules. A schedule begins with its time. A text that only mentions times
 * later is an ordinary question.
 */
import {
  begins,
  conditionIn,
  isForLater,
  isReminder,
  isRequest,
  isStatement,
  notUnderstood,
  rareTimes,
} from './request-words.ts'
import { nextOf, timeOn } from './dates-in-zone.ts'
import { takeMoreTimes } from './more-times.ts'
import { reminderReadings } from './remind-me-words.ts'
import { takeDays, type TakenDays } from './take-days.ts'
import { isOtherHour, SPOKEN_HOUR, takeHour, TIME_FIRST, type TakenHour } from './take-hour.ts'
import { takeZone } from './take-zone.ts'
import { isCron, smallestGap, stepFrom, type ScheduleStep, type When } from './when.ts'

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
  return NOUN.test(text) ? undefined : /^schedule(?:\s*:|\s|$)\s*(.*)$/is.exec(text.trim())?.[1]
}

/** "Schedule of the World Cup?" is about one that somebody else made. */
const NOUN = /^\s*schedule\s+(?:of|is|was|changes?|conflicts?)(?![\p{L}\p{N}])/iu

/** Undefined for an ordinary question. */
export function parseSchedule(text: string, context: ParseContext): ParsedSchedule | undefined {
  for (const { time, about, isLast } of reminderReadings(text)) {
    const read = parseTimed(isLast ? `${time} ${PLACEHOLDER}` : time, { ...context, explicit: true })
    const isWhole = read && 'when' in read && (!isLast || read.question === PLACEHOLDER)
    if (isWhole) return { ...read, question: about(read.question) }
    const asked = isLast || !takeDays(time, context) ? undefined : read
    if (asked && 'problem' in asked) return asked
  }
  return parseTimed(text, context)
}

/** A request in place of a question, so that the time before it is read. */
export const PLACEHOLDER = 'tell me'

function parseTimed(text: string, context: ParseContext): ParsedSchedule | undefined {
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
  if (when.kind === 'once' && when.at <= now) return explicit ? { problem: 'That time has passed.' } : undefined
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
const SEVERAL = /^(every|each|in) (\d{1,4})( ?minutes?| ?mins?| ?hours?| ?hrs?|m|h)\b(.*)$/is

/** `every 4 hours`, `every hour`, `in 20 minutes`: times that need no clock. */
function parseInterval(text: string, context: ParseContext): ParsedTime {
  const [, word = '', unit, rest = ''] = ONE.exec(text) ?? []
  if (unit !== undefined) return interval({ word, minutes: minutesOf(unit), rest }, context)
  const [, each = '', number, units = '', after = ''] = SEVERAL.exec(text) ?? []
  if (number === undefined || /^ (?:minute|hour)$/i.test(units)) return undefined
  const read = interval({ word: each, minutes: Number(number) * minutesOf(units), rest: after }, context)
  // `in 20m of water` is no time.
  return read && 'when' in read && units.length === 1 ? { ...read, isUsual: false } : read
}

function minutesOf(unit: string): number {
  return /^ ?h/i.test(unit) ? 60 : 1
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

function parseDays(text: string, context: ParseContext): ParsedTime {
  const days = takeDays(text, context) ?? takeDays(daysFirst(text), context)
  return days ? atHour(days, context) : hourAlone(text, context)
}

/**
 * `at 5pm summarise …`: the next time that the clock shows it. Only before a request: else it is an ordinary question.
 */
function hourAlone(text: string, context: ParseContext): ParsedTime {
  const { time, rest = '' } = TIME_FIRST.exec(text)?.groups ?? {}
  if (time === undefined) return undefined
  const read = atHour({ days: { next: [0, 1, 2, 3, 4, 5, 6] }, rest: ` ${time} ${rest}`, text: '' }, context)
  const isMeant = context.explicit || (read && 'when' in read && isRequest(withoutMarks(read.rest)))
  return isMeant ? read : undefined
}

/** `at 9 every Monday what …` with the hour behind the days, as in the other forms. */
function daysFirst(text: string): string {
  const { time = '', rest = '' } = TIME_FIRST.exec(text)?.groups ?? {}
  const days = takeDays(rest, { now: 0, zone: 'UTC' })
  return days ? `${rest.slice(0, rest.length - days.rest.length)} ${time}${days.rest}` : ''
}

function atHour({ days, rest, text }: TakenDays, context: ParseContext): ParsedTime {
  const [whole, named = ''] = /^ (?:in the )?(morning|afternoon|evening|night)\b/i.exec(rest) ?? ['']
  const part = named || partOf(text)
  const behind = rest.slice(whole.length)
  const clock = takeHour(behind, { ...context, part })
  if (!clock)
    return (
      zoneFirst({ days, rest: behind, text: `${text}${whole}` }, context) ?? withoutHour(behind, 'cron' in days, text)
    )
  const zoned = takeZone(clock.rest, context)
  if ('problem' in zoned) return zoned
  const { zone } = zoned
  const { hour, minute } = clock
  if ('cron' in days) return repeated(days, { clock, behind: zoned.rest, zone, context })
  if (isOtherHour(zoned.rest)) return { problem: 'Name one hour only, and make a schedule for each.', isSure: true }
  if ('next' in days) {
    const at = nextOf(days.next, { hour, minute, zone, now: context.now })
    return { when: { kind: 'once', at, zone }, rest: zoned.rest, isUsual: false }
  }
  const at = timeOn(days.date, { hour, minute, zone })
  return at === undefined
    ? { problem: `${days.date} is not a date.` }
    : { when: { kind: 'once', at, zone }, rest: zoned.rest }
}

/** Days that repeat, at one or several hours. A zone may stand behind the last one. */
function repeated(
  { cron: days, step }: { cron: string; step?: Pick<ScheduleStep, 'unit' | 'n'> },
  parts: { clock: TakenHour; behind: string; zone: string; context: ParseContext },
): ParsedTime {
  const { clock, context } = parts
  const { crons, rest: behind } = takeMoreTimes(parts.behind, days, clock, context.explicit)
  const zoned = takeZone(behind, { ...context, zone: parts.zone })
  if ('problem' in zoned) return zoned
  if (isOtherHour(zoned.rest)) return { problem: 'Name one hour only, and make a schedule for each.', isSure: true }
  const [cron = '', ...also] = crons
  const when = { kind: 'cron' as const, cron, zone: zoned.zone, ...(also.length > 0 ? { also } : {}) }
  return { when: step ? { ...when, step: stepFrom(step, when, context.now) } : when, rest: zoned.rest }
}

/** `every day UTC 17:30 …` with the zone behind the hour. */
function zoneFirst({ rest, ...taken }: TakenDays, context: ParseContext): ParsedTime {
  const zoned = takeZone(rest.replace(/^,? at /i, ' '), { zone: '', explicit: context.explicit })
  const clock = /^[,:]? ?(?:at )?\d/.test(zoned.rest) ? takeHour(zoned.rest, { ...context, part: '' }) : undefined
  if (!clock || ('zone' in zoned && zoned.zone === '')) return undefined
  if ('problem' in zoned) return { problem: zoned.problem, isSure: true }
  return atHour({ ...taken, rest: zoned.rest }, { ...context, zone: zoned.zone })
}

/** Days without an hour: a condition, an hour in words, or an ordinary text. */
function withoutHour(rest: string, isRepeated: boolean, days: string): ParsedTime {
  const condition = conditionIn(rest)
  if (
    condition !== undefined &&
    !/^at /i.test(condition) &&
    (/\d/.test(condition) || / at (?:\d|noon|midnight)/i.test(rest.slice(0, 80)))
  )
    return { problem: notUnderstood(condition), isSure: true }
  const impossible = IMPOSSIBLE_HOUR.exec(rest)?.[1]
  if (impossible !== undefined) return { problem: `${impossible} is not a time of day.`, isSure: true }
  const asked = withoutMarks(rest.replace(SPOKEN_HOUR, ''))
  const isSpoken = SPOKEN_HOUR.test(rest)
  const isSure =
    (isRequest(asked, days) && (isRepeated || isSpoken || /^tomorrow|^in /i.test(days) || isReminder(asked))) ||
    (isRepeated && isSpoken && /^,? at [a-z]/i.test(rest) && begins(asked))
  return { problem: 'The hour is missing. Write it after the day, such as `at 9` or `at 17:30`.', isSure }
}

/** A written time that `takeHour` did not take: `at 25:00`, `at 13 pm`. */
const IMPOSSIBLE_HOUR = /^,? ?at (\d{1,2}:\d\d|\d{1,2}(?::\d\d)? ?[ap]\.?m\b)(?![:.]?\d|\s?%)/i

/** The part of the day in words such as `every evening`. */
function partOf(text: string): string {
  return /(?:(afternoon|evening)|to(night)|(night))s?$/i.exec(text)?.slice(1).find(Boolean) ?? ''
}
