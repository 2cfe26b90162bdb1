/** Reads dates and times of day in their usual forms. */

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
      `(?<![\\d.,])(?:(\\d{1,2})(?:st|nd|rd|th)?\\.?\\s?(?:[-–]|to|until|and|bis|und)\\s?)?${DAY}\\.?(?:\\sof)?[\\s-]${MONTH}(?:,?[\\s-](\\d{4}))?(?![\\p{L}\\d])`,
      'gu',
    ),
    ([from, d, m, y]) => days([from, d], monthOf(m), y),
  ],
  [
    new RegExp(
      `(?<![\\p{L}\\d])${MONTH}[\\s-]${DAY}(?:\\s?(?:[-–]|to|through|until)\\s?(\\d{1,2}))?(?![\\d:.]\\d|\\d|\\p{L})(?:,?\\s(\\d{4}))?(?![\\d:])`,
      'gu',
    ),
    ([m, d, to, y]) => days([d, to], monthOf(m), y),
  ],
  // `24. bis 26.12.`
  [
    /(?<![\d.,])(\d{1,2})\.\s?(?:[-–]|bis|und)\s?(\d{1,2})\.(\d{1,2})\.(?:(\d{4})(?!\d))?(?!\d)/g,
    ([from, to, m, y]) => days([from, to], Number(m), y),
  ],
  [
    new RegExp(`(?<![\\p{L}\\d])${MONTH},?\\s(?:of\\s)?(\\d{4})(?![\\d:])`, 'gu'),
    ([m, y]) => [[{ y: Number(y), m: monthOf(m) }]],
  ],
]

function numeric(a: number, b: number, y: number): DatePart[] {
  return [
    { y, m: b, d: a },
    { y, m: a, d: b },
  ]
}

function days(written: DateParts, m: number, y: string | undefined): DatePart[][] {
  const year = y === undefined ? {} : { y: Number(y) }
  return written.flatMap((d) => (d === undefined ? [] : [[{ ...year, m, d: Number(d) }]]))
}

function monthOf(name = ''): number {
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
  /(?<![\d:.])(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?(?![\d:])(?:\s?([ap])\.?m\b\.?)?|(?<![\d:.,])(\d{1,2})\s?([ap])\.?m\b\.?/gi

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
  const rest = german.replace(TIME, (found: string, ...parts: unknown[]) => {
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
export function dayOf({ y, m, d }: DatePart): number | undefined {
  return y === undefined || d === undefined ? undefined : Date.UTC(y, m - 1, d) / 86_400_000
}
