/** What a number in a workbook means by its format: a date, a time of day, a duration, or just a number. */
import { writtenNumber } from '../tables/numbers.ts'

export interface CellFormat {
  kind: 'number' | 'date' | 'time' | 'duration'
  /** The largest unit of a time. */
  from: 'h' | 'm' | 's'
  hasSeconds: boolean
  /** The number of digits behind the seconds. */
  digits: number
  /** The least number of digits, as in postal codes. */
  minimum?: number
  isPercent?: boolean
  /** The texts before and after the number. */
  currency?: { before: string; after: string }
}

const NUMBER: CellFormat = { kind: 'number', from: 'h', hasSeconds: false, digits: 0 }
/** The formats that a file does not spell out (ECMA-376, part 1, 18.8.30), with the dates of East Asian versions. */
const BUILT_IN = new Map(
  Object.entries({
    '0%': [9, 10],
    'yyyy-mm-dd': [14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58],
    'yyyy-mm-dd h:mm': [22],
    'h:mm': [18, 20, 32, 34, 55],
    'h:mm:ss': [19, 21, 33, 35, 56],
    'mm:ss': [45],
    '[h]:mm:ss': [46],
    'mm:ss.0': [47],
  }).flatMap(([code, ids]) => ids.map((id) => [id, code] as const)),
)
const DAY_S = 86_400
/** The days from 1 January 1900 to 1904, where some workbooks begin to count. */
const DAYS_TO_1904 = 1462
const MAX_DAY = 2_958_465

export function cellFormat(id: number, custom: ReadonlyMap<number, string>): CellFormat {
  const code = custom.get(id) ?? BUILT_IN.get(id)
  return code === undefined ? NUMBER : formatOf(code.slice(0, 255))
}

function formatOf(code: string): CellFormat {
  const bare = code
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '')
    .split(';', 1)[0]!
    .replace(/general|standard|am\/pm|a\/p/gi, '')
    .toLowerCase()
  const hasSeconds = bare.includes('s')
  const from = bare.includes('h') || !hasSeconds ? 'h' : bare.includes('m') ? 'm' : 's'
  const elapsed = /\[([hms])+\]/.exec(bare)?.[1]
  const digits = /s+\]?\.(0+)/.exec(bare)?.[1]?.length ?? 0
  // `[m]` alone is a number of minutes.
  if (elapsed) return { kind: 'duration', from: elapsed === 'm' ? 'm' : from, hasSeconds, digits }
  // T and J: a German Excel writes its own letters into some files.
  if (/[yd]|^[tmj./ -]*[tj][tmj./ -]*$/.test(bare)) return { kind: 'date', from, hasSeconds, digits }
  if (/[hs]/.test(bare)) return { kind: 'time', from, hasSeconds, digits }
  return bare.includes('m') ? { kind: 'date', from, hasSeconds, digits } : numberFormat(code, bare)
}

/** A currency's sign, or its code, as `"€"` or `[$CHF-807]`. */
const CURRENCY = /\[\$([^\]-]{1,5})(?:-[^\]]*)?\]|"\s?([$€£¥₹₽₩₺]|[A-Z]{3}|kr|zł|Kč|Ft)\s?"/
/** A sign that is not a part of another one, as in `R\$`. */
const BARE_SIGN = /(?<!\p{L}\\?)([$€£¥₹₽₩₺])/u

function numberFormat(code: string, bare: string): CellFormat {
  if (bare.includes('%')) return { ...NUMBER, isPercent: true }
  if (/^0{4,}$/.test(bare.trim())) return { ...NUMBER, minimum: bare.trim().length }
  const [first = ''] = code.split(';', 1)
  const digits = first.replace(/"[^"]*"|\[[^\]]*\]/g, (text) => ' '.repeat(text.length))
  const found = CURRENCY.exec(first) ?? BARE_SIGN.exec(digits)
  if (!found) return NUMBER
  const sign = (found[1] ?? found[2] ?? '').trim()
  const isBefore = found.index < digits.search(/[0#?]/)
  const before = isBefore ? sign + (/^\w/.test(sign) ? ' ' : '') : ''
  const after = isBefore ? '' : ` ${sign}`
  // A column of numbers that are not read as such would be text.
  return writtenNumber(`${before}1${after}`) === undefined ? NUMBER : { ...NUMBER, currency: { before, after } }
}

/** Returns a number as people read it in the sheet, with dates in ISO's form. */
export function formatNumber(written: string, format: CellFormat, is1904: boolean): string {
  const value = Number(written)
  if (written.trim() === '' || Number.isNaN(value)) return written
  if (format.kind === 'duration') return clock(value, format)
  if (format.kind === 'time' && value >= 0 && value < 366) return clock(value % 1, format)
  const isTimeOnly = format.kind === 'date' && value < 1 && format.hasSeconds
  if (isTimeOnly && value >= 0) return clock(value, format)
  const days = value + (is1904 ? DAYS_TO_1904 : 0)
  if (format.kind === 'number') return withUnit(value, plain(written), format)
  return days < 0 || days > MAX_DAY ? plain(written) : asDate(days)
}

/** Percents are shown as people read them, with the 15 digits that Excel keeps. */
function withUnit(value: number, text: string, { minimum, isPercent, currency }: CellFormat): string {
  if (isPercent) return `${plain(String(Number((value * 100).toPrecision(15))))}%`
  if (minimum !== undefined) return /^\d+$/.test(text) ? text.padStart(minimum, '0') : text
  if (!currency) return text
  return `${text.startsWith('-') ? '-' : ''}${currency.before}${text.replace(/^-/, '')}${currency.after}`
}

/**
 * Writes out the digits of `1.5E+18`, all of them: a double keeps 17. Very large and small numbers stay as they are.
 */
function plain(written: string): string {
  if (/^-?\d+$/.test(written)) return written
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,4}))?$/i.exec(written.trim()) ?? []
  if (whole + part === '' || Math.abs(Number(power)) > MAX_POWER) return written
  const point = whole.length + Number(power)
  const digits = (whole + part).padEnd(point, '0').padStart(whole.length + part.length - Math.min(0, point), '0')
  const at = Math.max(0, point)
  const before = digits.slice(0, at).replace(/^0+(?=\d)/, '') || '0'
  const after = digits.slice(at).replace(/0+$/, '')
  return `${sign === '-' && /[1-9]/.test(digits) ? '-' : ''}${before}${after && '.'}${after}`
}

const MAX_POWER = 40

/** Excel's dates have no zone. It counts a 29 February 1900, so earlier days are one less. */
function asDate(days: number): string {
  const seconds = Math.round((days < 60 ? days + 1 : days) * DAY_S) - 25_569 * DAY_S
  const [day = '', time = ''] = new Date(seconds * 1000).toISOString().split('T')
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 8)}`
}

/** Returns `36:00`, `08:30:05` or, of minutes and seconds, `14:24`. */
function clock(days: number, { from, hasSeconds, digits }: CellFormat): string {
  const units = 10 ** digits
  const parts = Math.round(Math.abs(days) * DAY_S * units)
  const total = Math.floor(parts / units)
  const fraction = parts % units === 0 ? '' : `.${String(parts % units).padStart(digits, '0')}`
  const two = (number: number) => String(number).padStart(2, '0')
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  const sign = days < 0 ? '-' : ''
  if (from === 's') return `${sign}${total}${fraction}`
  const all = Math.floor(total / 60)
  if (from === 'm') return hasSeconds ? `${sign}${two(all)}:${two(seconds)}${fraction}` : `${sign}${all}`
  return `${sign}${two(hours)}:${two(minutes)}${hasSeconds || seconds > 0 ? `:${two(seconds)}` : ''}${fraction}`
}
