/** Reads durations that are written in several parts: `1 h 30 min`, `2 days and 4 hours`, `1h30`. */

/** A kind of quantity, and how a value becomes one of its base unit: `value * factor + offset`. */
export interface QuantityUnit {
  kind: string
  factor: number
  offset: number
  /** `GB` is read as a power of 1000, and again as one of 1024. */
  isBinary?: boolean
}

interface Duration {
  text: string
  at: number
  /** The size in `unit`. */
  value: number
  unit: QuantityUnit
  /** The offsets of the parts. */
  places: number[]
}

/** A part's offset in the text, its number and its unit. */
type Part = [at: number, value: number, unit: QuantityUnit]

const SECONDS: [names: string, factor: number][] = [
  ['w week weeks woche wochen semaines semanas settimane недели', 604_800],
  ['d j day days tag tage tagen jour jours día días dias giorni дня дней', 86_400],
  ['h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur godz godziny час часа часов ч', 3600],
  ['m min mins minute minutes minuten minuto minutos minuti minut minuty мин минут минуты', 60],
  ['s sec secs second seconds sekunde sekunden seconde secondes segundos secondi сек секунд', 1],
]
const MONTHS: [names: string, factor: number][] = [
  ['y yr yrs year years jahr jahre jahren', 12],
  ['mo month months monat monate monaten', 1],
]
const UNIT_OF = new Map<string, QuantityUnit>(
  [SECONDS.map((one) => ['time', ...one] as const), MONTHS.map((one) => ['months', ...one] as const)]
    .flat()
    .flatMap(([kind, names, factor]) => names.split(' ').map((name) => [name, { kind, factor, offset: 0 }])),
)
for (const [names, factor] of [
  ['天 日 일', 86_400],
  ['時間 小时 小時 시간', 3600],
  ['分 分間 分钟 分鐘 분', 60],
  ['秒 秒钟 秒鐘 초', 1],
] as const)
  for (const name of names.split(' ')) UNIT_OF.set(name, { kind: 'time', factor, offset: 0 })
const NAMES = [...UNIT_OF.keys()].toSorted((one, other) => other.length - one.length).join('|')
const SPACE = '[\\u0020\\u00a0\\u202f]'
const PART = `\\d{1,6}(?:${SPACE}|-)?(?:${NAMES})(?![\\p{LC}_])`
const DURATION = new RegExp(
  `(?<![\\p{LC}\\p{N}_.,])(?:\\d{1,3}h\\d\\d(?![\\p{LC}\\p{N}:]|[.,]\\d)|\\d{1,3}${SPACE}h${SPACE}\\d\\d(?!${SPACE}?(?:${NAMES}|[\\p{N}:])(?![\\p{LC}])|[\\p{LC}\\p{N}]|[.,]\\d)|${PART}(?:[.,]?${SPACE}?(?:(?:and|und|et|e|y|i|en|og|och|и|&)${SPACE})?${PART}){1,4})`,
  'giu',
)
const EACH = new RegExp(`(\\d{1,6})(?:${SPACE}|-)?(${NAMES})?(?![\\p{LC}_])`, 'giu')

/**
 * Finds the durations of a text. Each is a number of its smallest unit, with the offsets of its parts. Linear in the
 * text's length.
 */
export function durationsIn(text: string): Duration[] {
  return [...isoDurationsIn(text), ...inParts(text)]
}

/** `18h30`: a duration, or a time of day. */
const HOURS = /^(\d{1,2})\s?h\s?([0-5]\d)$/i

/** Seconds after midnight, if a duration is written as a time of day may be. */
export function dayTimeOf(text: string): number | undefined {
  const [, h = '24', min] = HOURS.exec(text) ?? []
  return Number(h) < 24 ? Number(h) * 3600 + Number(min) * 60 : undefined
}

/** ISO 8601: `PT1H30M`, `P3DT4H`, `P1Y6M`. Years and months are no number of seconds. */
const ISO =
  /(?<![\p{LC}\p{N}_])P(?=\d|T\d)(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?)?(?![\p{LC}\p{N}_])/gu

function isoDurationsIn(text: string): Duration[] {
  return [...text.matchAll(ISO)].map(({ 0: whole, index, ...parts }) => {
    const [y, mo, w, d, h, min, s] = [1, 2, 3, 4, 5, 6, 7].map((n) => Number((parts[n] ?? '0').replace(',', '.')))
    const months = y! * 12 + mo!
    const seconds = w! * 604_800 + d! * 86_400 + h! * 3600 + min! * 60 + s!
    const [kind, value] = months > 0 && seconds === 0 ? ['months', months] : ['time', seconds + months * MONTH]
    return { text: whole, at: index, value, unit: { kind: kind as string, factor: 1, offset: 0 }, places: [index] }
  })
}

/** The mean length of a month, in seconds. */
export const MONTH = (365.25 / 12) * 86_400

function inParts(text: string): Duration[] {
  return [...text.matchAll(DURATION)].flatMap(({ 0: whole, index }) => {
    const parts = [...whole.matchAll(EACH)].map((part): Part => {
      const [, digits = '', name = 'min'] = part
      return [index + part.index, Number(digits), UNIT_OF.get(name.toLowerCase())!]
    })
    const unit = parts.at(-1)![2]
    const isOne = parts.every(([, , { kind, factor }], i) => {
      const next = parts[i + 1]?.[2]
      return kind === unit.kind && (!next || factor > next.factor)
    })
    if (!isOne) return []
    const value = parts.reduce((sum, [, count, { factor }]) => sum + (count * factor) / unit.factor, 0)
    return [{ text: whole, at: index, value, unit, places: parts.map(([at]) => at) }]
  })
}

/** Returns the durations of a text that are written without digits: `half an hour`, `a year`. */
export function wordySpansIn(text: string): [value: number, unit: QuantityUnit][] {
  return [...text.matchAll(WORDY)].map(([, half, name = '', more]) => [
    half ? 0.5 : more ? 1.5 : 1,
    UNIT_OF.get(name.toLowerCase())!,
  ])
}

const WORDY = /\b(?:(half)\s)?an?\s(second|minute|hour|day|week|month|year)\b(\sand\sa\shalf\b)?/gi

/** Returns the seconds of durations as a clock shows them: `2:15:00`, `36:00`. With two parts over 23 hours only. */
export function clockSpansIn(text: string): number[] {
  return [...text.matchAll(CLOCK)].flatMap(([, h, min, s]) =>
    s === undefined && Number(h) < 24 ? [] : [Number(h) * 3600 + Number(min) * 60 + Number(s ?? 0)],
  )
}

const CLOCK = /(?<![\d:.])(\d{1,4}):([0-5]\d)(?::([0-5]\d))?(?![\d:])/g
