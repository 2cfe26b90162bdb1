/** Takes the hour behind the days: `at 9`, `9:30`, `9am`, `17:30`, `noon`, `at 7 in the evening`. */
import { begins } from './request-words.ts'
import { takeZone } from './take-zone.ts'

export interface ClockTime {
  hour: number
  minute: number
}

export interface TakenHour extends ClockTime {
  rest: string
}

/** The part of the day behind an hour. */
const PART = String.raw`(?: in the (?<inThe>morning|afternoon|evening|night)| at (?<atNight>night))\b`
/** Words that change nothing: `about 9`, `9 sharp`. A schedule runs at that minute, or soon after. */
const ABOUT = '(?:(?:about|around|approximately|exactly|precisely|roughly) )?'
const SHARP = /^ (?:sharp|exactly|or so|on the dot|every time)(?![\w-])/i
const HOUR = new RegExp(
  String.raw`^,? ?(?<at>at )?${ABOUT}(?<hours>\d{1,2})(?::(?<minutes>\d\d))?(?: ?(?<half>[ap])\.?m\b\.?| o['’]clock)?(?:${PART})?(?!\w|/(?!\d{1,2} ?[ap]m)|[:.]\d|\s?%)(?<behind>.*)$`,
  'is',
)

/** A time, and what follows it, at the start of a text. */
export const TIME_FIRST = new RegExp(
  String.raw`^(?<time>at (?:\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\b\.?)?(?:${PART})?|noon|midnight)) (?<rest>.*)$`,
  'is',
)

/** An hour in words or forms that are not read: `at half past nine`, `at 0900`, `at 9.30`, `9h`. */
const NUMBER = '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)'
export const SPOKEN_HOUR = new RegExp(
  String.raw`^,? (?:at )?(?:(?:half|quarter|\d{1,2}|${NUMBER}) (?:past|to|after|before) (?:${NUMBER}|\d{1,2})|${NUMBER}(?: (?:thirty|fifteen|o['’]clock))?|\d{4}h?|\d{1,2}h\d{0,2}|\d{1,2}\.\d\d)(?: ?[ap]\.?m\b\.?)?(?![\w%])`,
  'i',
)

/** A bare number without `at` may be anything: `every day 3 people …`. `part`: of the day, as the days name it. */
export function takeHour(text: string, { explicit, part }: { explicit: boolean; part: string }): TakenHour | undefined {
  const named = /^,? ?(?:at )?(noon|midnight)\b(.*)$/is.exec(text)
  if (named) return { hour: named[1]?.toLowerCase() === 'noon' ? 12 : 0, minute: 0, rest: named[2] ?? '' }
  const { groups } = HOUR.exec(text) ?? {}
  if (!groups) return undefined
  const { at, hours = '', minutes, half, inThe, atNight, behind = '' } = groups
  const rest = behind.replace(SHARP, '')
  const isSure = [at, minutes, half, inThe, atNight].some((one) => one !== undefined) || explicit
  const after = takeZone(rest, { zone: 'UTC', explicit: false }).rest.replace(/^[\s,:;.–—-]+/, '')
  if (!isSure && !begins(after)) return undefined
  const hour = hourOf(Number(hours), half?.toLowerCase(), (inThe ?? atNight ?? part).toLowerCase())
  const minute = Number(minutes ?? 0)
  const isTime = hour < 24 && minute < 60 && (half === undefined || (Number(hours) >= 1 && Number(hours) <= 12))
  return isTime ? { hour, minute, rest } : undefined
}

/** From which hour on a number is one after noon. */
const EARLIEST: Record<string, number> = { afternoon: 1, evening: 4, night: 6 }

/** `every evening at 6`, `at 7 in the evening`; 12 at night is midnight. */
function hourOf(hours: number, half: string | undefined, part: string): number {
  if (half !== undefined) return (hours % 12) + (half === 'p' ? 12 : 0)
  if (part === 'night' && hours === 12) return 0
  return hours < 12 && hours >= (EARLIEST[part] ?? 12) ? hours + 12 : hours
}

const OTHER = new RegExp(
  String.raw`^ ?(?:and |or |,|\/|& )(?: ?and )? ?(?<at>at )?\d{1,2}(?<minutes>:\d\d)?(?: ?(?<half>[ap])\.?m\b\.?)?(?:${PART})?(?![\w%.:])(?<rest>.*)$`,
  'is',
)

/** Returns whether another hour follows: `and at 17`, `or 10 what …`, `, 12:00`. `, 3 people are ill` is none. */
export function isOtherHour(text: string): boolean {
  const { groups } = OTHER.exec(text.slice(0, 200)) ?? {}
  if (!groups) return false
  const { at, minutes, half, inThe, atNight, rest = '' } = groups
  const follows = rest.replace(/^[\s,:;.–—-]+/, '')
  return (
    [at, minutes, half, inThe, atNight].some((one) => one !== undefined) ||
    follows === '' ||
    begins(follows) ||
    isOtherHour(rest)
  )
}
