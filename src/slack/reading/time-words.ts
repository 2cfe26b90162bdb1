import { clockOf, momentsOf } from '../../schedules/when.ts'

const DAY_MS = 86_400_000
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** The base for reading times. `zone`: the asker's, an IANA name. `now`: ms since the epoch. */
export interface TimeBase {
  zone: string
  now: number
  /** The last run of the question's schedule, ms since the epoch. */
  lastRunAt?: number | undefined
}

/**
 * Reads an ISO date or time, `today`, `yesterday`, the name of a weekday (the last one before today), `now` or `last
 * run`. A day is its first moment, or with `isEnd` its last.
 * @returns ms since the epoch; undefined if it cannot be read, or there was no last run
 */
export function readTime(words: string, base: TimeBase, { isEnd = false } = {}): number | undefined {
  const word = words.trim().toLowerCase()
  const clock = clockOf(base.zone)
  const at = (shown: number) => (Number.isNaN(shown) ? undefined : momentsOf(shown, clock)[0])
  if (word === 'now') return base.now
  if (/^(?:the )?last[ _-]run$/.test(word)) return base.lastRunAt
  if (/^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)$/.test(word)) {
    const time = Date.parse(word.replace(' ', 'T').toUpperCase())
    return Number.isNaN(time) ? undefined : time
  }
  const time = /^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d)(?::\d\d)?/.exec(word)
  if (time) return at(Date.parse(`${time[1]}T${time[2]}Z`))
  const day = dayOf(word, Date.parse(new Date(clock(base.now)).toISOString().slice(0, 10)))
  if (day === undefined) return undefined
  if (!isEnd) return at(day)
  const next = at(day + DAY_MS)
  return next === undefined ? undefined : next - 1
}

/** The day, as its midnight in UTC. */
function dayOf(word: string, today: number): number | undefined {
  if (word === 'today') return today
  if (word === 'yesterday') return today - DAY_MS
  const weekday = WEEKDAYS.indexOf(word.replace(/^last /, ''))
  if (weekday >= 0) return today - DAY_MS * ((new Date(today).getUTCDay() - weekday + 6) % 7) - DAY_MS
  const day = /^\d{4}-\d\d-\d\d$/.test(word) ? Date.parse(word) : NaN
  return Number.isNaN(day) ? undefined : day
}

/** `2026-11-26 09:14`, in the zone. */
export function minuteIn(zone: string, at: number): string {
  return new Date(clockOf(zone)(at)).toISOString().slice(0, 16).replace('T', ' ')
}
