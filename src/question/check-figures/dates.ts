/** Reads dates and times of day in their usual forms. */
import { HAN_SMALL, HAN_YEAR, hanNumber, yearOf } from './han-numerals.ts'
import { monthsNamed } from './month-names.ts'

/** A date. Either the year or the day may be missing. */
export interface DatePart {
  y?: number
  m: number
  d?: number
}

export interface DateFound {
  text: string
  at: number
  /** `03/04/2026` has two. */
  readings: DatePart[]
}

export interface TimeFound {
  text: string
  at: number
  /** Seconds after midnight. `2:30` has two: in the night and in the afternoon. */
  readings: number[]
  hasSeconds: boolean
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** Months begin with a capital, because `may` and `march` are words too. English and German. */
const MONTH =
  '(Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März?|Apr(?:il)?|Ma[yi]|June?|Juni|July?|Juli|Aug(?:ust)?|Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?' +
  '|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\\.?'
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?'

/** A word that may be a month's name. */
const NAME = '\\p{L}[\\p{L}\\p{M}]{2,17}\\.?'

type DateParts = (string | undefined)[]

/** Each form, and the meaning of its groups. A range of days (`3–5 May`) is two dates. */
const FORMS: [form: RegExp, read: (parts: DateParts) => DatePart[][]][] = [
  [
    /(?<![\d.-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/g,
    ([y, , m, d]) => [[{ y: Number(y), m: Number(m), d: Number(d) }]],
  ],
  [
    /(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)|(?<![\d./-])(\d{1,2})\/(\d{1,2})\/(\d{2})(?![\d/])/g,
    ([a, , b, y, c, d, short]) => [numeric(Number(a ?? c), Number(b ?? d), Number(y ?? `20${short}`))],
  ],
  [
    new RegExp(
      `(?<![\\d.,])((?:\\d{1,2}\\.?, ){0,9}(?:\\d{1,2}(?:st|nd|rd|th)?\\.?,?\\s?(?:[-–]|to|until|and|bis|und)\\s?))?${DAY}\\.?(?:\\sof)?[\\s-]${MONTH}(?:,?[\\s-](\\d{4}))?(?![\\p{L}\\d])`,
      'gu',
    ),
    ([some, d, m, y]) => days([...(some?.match(/\d+/g) ?? []), d], monthOf(m), y),
  ],
  [
    new RegExp(
      `(?<![\\p{L}\\d])${MONTH}[\\s-]${DAY}(?:\\s?(?:[-–]|to|through|until)\\s?(\\d{1,2}))?(?![\\d:.]\\d|\\d|\\p{L})(?:,?\\s(\\d{4}))?(?![\\d:])`,
      'gu',
    ),
    ([m, d, to, y]) => days([d, to], monthOf(m), y),
  ],
  // `08/2028`
  [/(?<![\d./-])(0?[1-9]|1[0-2])\/(20\d\d)(?![\d/])/g, ([m, y]) => [[{ y: Number(y), m: Number(m) }]]],
  // `24. bis 26.12.`
  [
    /(?<![\d.,])(\d{1,2})\.\s?(?:[-–]|bis|und)\s?(\d{1,2})\.(\d{1,2})\.(?:(\d{4})(?!\d))?(?!\d)/g,
    ([from, to, m, y]) => days([from, to], Number(m), y),
  ],
  [
    new RegExp(`(?<![\\p{L}\\d])${MONTH},?\\s(?:of\\s)?(\\d{4})(?![\\d:])`, 'gu'),
    ([m, y]) => [[{ y: Number(y), m: monthOf(m) }]],
  ],
  // `3 février 2026`, `3. bis 5. März`, `3 de febrero de 2026`: months of other languages have small letters.
  [
    new RegExp(
      `(?<![\\d.,])(?:(\\d{1,2})\\.?\\s?(?:[-–]|au|al?|bis|tot|till?|до|по|do)\\s?)?(\\d{1,2})(?:\\.|er|[ºª])?\\s(?:de\\s|d['’])?(${NAME})(?:,?\\s(?:del?\\s)?(\\d{4})(?!\\d))?(?![\\p{L}\\d])`,
      'gu',
    ),
    ([from, d, name, y]) => named(name, y, (m) => days([from, d], m, y)),
  ],
  // `febrero de 2026`, and `2026. február 3.`
  [
    new RegExp(`(?<![\\p{L}\\d])(${NAME}),?\\s(?:del?\\s|di\\s)?(\\d{4})(?![\\d:])`, 'gu'),
    ([name, y]) => named(name, y, (m) => [[{ y: Number(y), m }]]),
  ],
  [
    new RegExp(`(?<![\\d.,])(\\d{4})\\.?\\s(?:m\\.\\s)?(${NAME})\\s(\\d{1,2})(?!\\d)`, 'gu'),
    ([y, name, d]) => named(name, y, (m) => days([d], m, y)),
  ],
  // `október 24-én`
  [
    new RegExp(`(?<![\\p{L}\\d])(${NAME})\\s(\\d{1,2})(?:\\.|-\\p{L}{1,3})(?![\\p{L}\\d])`, 'gu'),
    ([name, d]) => named(name, undefined, (m) => days([d], m, undefined)),
  ],
  // `ngày 3 tháng 2 năm 2026`
  [
    /(?<![\d.,])(\d{1,2})\stháng\s(\d{1,2})(?:(?:,?\snăm\s|[,/]\s?)(\d{4}))?(?!\d)/giu,
    ([d, m, y]) => days([d], Number(m), y),
  ],
  // 2026年11月23日, 十一月二十三日, 令和8年11月23日, 11월 23일, 2026年11月
  [
    new RegExp(`(?<!\\d)(?:${HAN_YEAR}\\s?[年년]\\s?)?(${HAN_SMALL})\\s?[月월]\\s?(${HAN_SMALL})\\s?[日號号일]`, 'g'),
    ([y, m = '', d = '']) => days([String(hanNumber(d))], hanNumber(m) ?? NaN, y && String(yearOf(y))),
  ],
  [
    new RegExp(`(?<!\\d)${HAN_YEAR}\\s?[年년]\\s?(${HAN_SMALL})\\s?[月월]`, 'g'),
    ([y = '', m = '']) => [[{ y: yearOf(y), m: hanNumber(m) ?? NaN }]],
  ],
]

/** The readings of each date, for a month's name that may mean several months. */
function named(name = '', year: string | undefined, read: (month: number) => DatePart[][]): DatePart[][] {
  const [first, ...others] = monthsNamed(name, year !== undefined).map(read)
  return (first ?? [[]]).map((one, i) => [...one, ...others.flatMap((other) => other[i] ?? [])])
}

function numeric(a: number, b: number, y: number): DatePart[] {
  return [
    { y, m: b, d: a },
    { y, m: a, d: b },
  ]
}

function days(written: DateParts, m: number, y: string | undefined): DatePart[][] {
  // Thai years count from 543 before.
  const year = y === undefined ? {} : { y: Number(y) >= 2400 ? Number(y) - 543 : Number(y) }
  return written.flatMap((d) => (d === undefined ? [] : [[{ ...year, m, d: Number(d) }]]))
}

/** @returns 0 for no month */
export function monthOf(name = ''): number {
  const start = name
    .slice(0, 3)
    .toLowerCase()
    .replace('ä', 'a')
    .replace('mai', 'may')
    .replace('okt', 'oct')
    .replace('dez', 'dec')
  return MONTHS.indexOf(start) + 1
}

function isReal({ m, d = 1 }: DatePart): boolean {
  return m >= 1 && m <= 12 && d >= 1 && d <= 31
}

/** Finds the dates in a text. @returns them and the text with `mask` in their place. Linear in its length. */
export function datesIn(text: string, mask: (found: string) => string): { dates: DateFound[]; rest: string } {
  const dates: DateFound[] = []
  let rest = text
  for (const [form, read] of FORMS)
    rest = rest.replace(form, (found: string, ...more: unknown[]) => {
      const at = more.find((one) => typeof one === 'number') ?? 0
      const parts = more.slice(0, more.indexOf(at)) as DateParts
      const readings = read(parts).map((one) => one.filter(isReal))
      if (readings.some((one) => one.length === 0)) return found
      // The sentence may end with the month.
      const shown = found.replace(/(?<=\p{L}{4})\.$/u, '')
      for (const one of readings) dates.push({ text: shown, at, readings: one })
      return mask(found)
    })
  return { dates, rest }
}

const TIME =
  /(?<![\d:.])(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?(?!\d|:\d)(?:\s?([ap])\.?m\b\.?)?|(?<![\d:.,])(\d{1,2})\s?([ap])\.?m\b\.?/gi

/** 午後3時30分, 下午3点, 下午三点半, 오후 3시 30분. 三点 alone is three points. */
const CJK_TIME = new RegExp(
  `(午前|午後|上午|下午|晚上|오전|오후)?\\s?(?<!\\d)(\\d{1,2}|[一二三四五六七八九十两兩]{1,3})\\s?(?:時(?!間)|时(?!间)|點|点|시(?!간))(?:\\s?(${HAN_SMALL})\\s?[分분]|\\s?([半반]))?`,
  'g',
)

const UHR = /(?<![\d:.,])(\d{1,2})(?:[.:]([0-5]\d))?\s?Uhr\b/g

/** Finds the times of day, as `datesIn` finds dates. */
export function timesIn(text: string, mask: (found: string) => string): { times: TimeFound[]; rest: string } {
  const times: TimeFound[] = []
  const german = text.replace(UHR, (found: string, ...parts: unknown[]) => {
    const [h, min = '0'] = parts as DateParts
    if (Number(h) > 23) return found
    times.push({
      text: found,
      at: parts[2] as number,
      readings: [Number(h) * 3600 + Number(min) * 60],
      hasSeconds: false,
    })
    return mask(found)
  })
  const wide = german.replace(CJK_TIME, (found: string, ...parts: unknown[]) => {
    const [half, written = '', minutes = '0', isHalfPast] = parts as DateParts
    if (/\D/.test(written) && half === undefined && minutes === '0' && isHalfPast === undefined) return found
    const h = hanNumber(written) ?? NaN
    const min = isHalfPast === undefined ? (hanNumber(minutes) ?? NaN) : 30
    const isLate = half !== undefined && /[後下晚후]/.test(half)
    const hour = half === undefined ? h : (h % 12) + (isLate ? 12 : 0)
    if (!(hour <= 23 && min <= 59)) return found
    const text = found.trimStart()
    const at = (parts[4] as number) + found.length - text.length
    const seconds = hour * 3600 + min * 60
    const readings = half === undefined && hour < 12 ? [seconds, seconds + 43_200] : [seconds]
    times.push({ text, at, readings, hasSeconds: false })
    return mask(found)
  })
  const rest = wide.replace(TIME, (found: string, ...parts: unknown[]) => {
    const [h, min = '0', s, half, bareHour, bareHalf] = parts as DateParts
    const hour = Number(h ?? bareHour)
    const at = parts[6] as number
    if (hour > 23) return found
    const seconds = (of: number) => of * 3600 + Number(min) * 60 + Number(s ?? 0)
    const pm = (half ?? bareHalf)?.toLowerCase()
    const hours = pm ? [(hour % 12) + (pm === 'p' ? 12 : 0)] : hour < 12 ? [hour, hour + 12] : [hour]
    times.push({ text: found.trim(), at, readings: hours.map(seconds), hasSeconds: s !== undefined })
    return mask(found)
  })
  return { times, rest }
}

/** Days since the epoch; undefined if the year or the day is unknown. */
export function dayNumber({ y, m, d }: DatePart): number | undefined {
  return y === undefined || d === undefined ? undefined : Date.UTC(y, m - 1, d) / 86_400_000
}

/** `December 10, 2026, 11:00` as `2026-12-10, 11:00`. */
export function withIsoDates(text: string): string {
  const shown: string[] = []
  let end = 0
  for (const { text: written, at, readings } of datesIn(text, (found) => ' '.repeat(found.length)).dates.sort(
    (one, other) => one.at - other.at,
  )) {
    const { y = 0, m, d } = readings[0]!
    const day = dayNumber({ y, m, ...(d === undefined ? {} : { d }) })
    if (y === 0 || day === undefined || at < end) continue
    shown.push(text.slice(end, at), new Date(day * 86_400_000).toISOString().slice(0, 10))
    end = at + written.length
  }
  return shown.join('') + text.slice(end)
}
