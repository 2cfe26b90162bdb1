/** Numbers as people write them in tables: `1.234,56 €`, `(1,200)`, `12,5 %`, `5'000`, `-3.2e5`. */
import type { SqlCell } from './types.ts'

export type Decimal = 'point' | 'comma'

/** The parts of a written number: its sign, its digits with their marks, and its unit. */
interface WrittenNumber {
  negative: boolean
  digits: string
  exponent: string
  unit: string
}

/** A currency's sign, or its code and a space, stand before a number; a unit or a currency behind it. */
const NUMBER =
  /^(\(?)([-+\u2212]?) ?((?:US|A|C)?[$€£¥₹₽₩₺] ?|(?:[A-Z]{3}|kr|Fr\.?|Rs\.?) )?([-+\u2212]?) ?(\d[\d.,'’ \u00a0\u202f]*|[.,]\d+)([eE][-+]?\d{1,3})? ?(-?)(\D{0,12})$/u
/** A number without marks of thousands. */
export const PLAIN = /^-?\d+(?:\.\d+)?$/
/** `5,-` and `1'200.–` are prices without cents. */
const NO_CENTS = /(?<=\d)[.,][-–—]{1,2}(?=\D{0,12}$)/
/** `kg`, `€/m²`, `Mio. €`. */
const UNIT = /^(?:[$€£¥₹₽₩₺%‰°²³/\p{L}]+\.?(?: (?:[$€£¥]|[A-Z]{3}))?)?$/u
const SPACES = /[ \u00a0\u202f'’]/g

/** Returns the parts of a written number, undefined if it is none. */
export function writtenNumber(cell: string): WrittenNumber | undefined {
  if (cell.length > 60) return undefined
  // Most cells are plain numbers or words.
  if (PLAIN.test(cell)) return { negative: cell[0] === '-', digits: cell.replace('-', ''), exponent: '', unit: '' }
  if (!/\d/.test(cell)) return undefined
  const found = NUMBER.exec(cell.replace(NO_CENTS, ''))
  if (!found) return undefined
  const [, open = '', sign = '', before = '', inner = '', raw = '', exponent = '', after = '', tail = ''] = found
  if ((open === '(') !== tail.endsWith(')') || (sign && inner)) return undefined
  const unit = (before + tail.replace(/\)$/, '')).trim()
  if (!UNIT.test(unit) || (before !== '' && tail.replace(/\)$/, '').trim() !== '')) return undefined
  const spaced = raw.trim()
  if (/[ \u00a0\u202f'’]/.test(spaced) && !/^\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?$/.test(spaced))
    return undefined
  const isNegative = open === '(' || after === '-' || /[-\u2212]/.test(sign + inner)
  return { negative: isNegative, digits: spaced.replace(SPACES, ''), exponent, unit }
}

/** Returns which decimal mark the digits show: undefined if both fit, or there is none. */
export function decimalOf(digits: string): Decimal | undefined {
  const [comma, point] = [digits.indexOf(','), digits.indexOf('.')]
  if (comma < 0 && point < 0) return undefined
  if (comma >= 0 && point >= 0) return digits.lastIndexOf(',') > digits.lastIndexOf('.') ? 'comma' : 'point'
  if (comma >= 0 && digits.includes(',', comma + 1)) return 'point'
  if (point >= 0 && digits.includes('.', point + 1)) return 'comma'
  if (isEitherWay(digits)) return undefined
  return comma >= 0 ? 'comma' : 'point'
}

/** `1.234` and `1,234` are a thousand or a fraction; `0.234` and `0.000` can only be fractions. */
export function isEitherWay(digits: string): boolean {
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)
}

/**
 * Returns the digits with a point, without marks of thousands. Undefined if the marks do not stand where they should.
 */
export function plainDigits(digits: string, decimal: Decimal): string | undefined {
  const [mark, point] = decimal === 'point' ? [',', '.'] : ['.', ',']
  const [whole = '', ...fractions] = digits.split(point)
  if (fractions.length > 1 || fractions[0]?.includes(mark)) return undefined
  if (whole.includes(mark) && !/^\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}$/.test(whole)) return undefined
  const fraction = fractions[0] ?? ''
  return `${whole.replaceAll(mark, '') || '0'}${fraction && '.'}${fraction}`
}

/** Returns the number as SQL keeps it exactly: undefined if its digits are more than a number can hold. */
export function sqlNumber(
  plain: string,
  { negative, exponent }: WrittenNumber,
): Exclude<SqlCell, string | null> | undefined {
  const sign = negative ? '-' : ''
  if (exponent !== '') return finite(Number(`${sign}${plain}${exponent}`))
  const [whole = '', fraction = ''] = plain.split('.')
  const part = fraction.replace(/0+$/, '')
  if (part === '') {
    const small = Number(`${sign}${whole}`)
    if (Number.isSafeInteger(small)) return small
    const value = BigInt(`${sign}${whole}`)
    return value >= MIN_WHOLE && value <= MAX_WHOLE ? value : undefined
  }
  if ((whole + part).replace(/^0+/, '').length > MAX_DIGITS) return undefined
  return finite(Number(`${sign}${whole}.${part}`))
}

const finite = (value: number) => (Number.isFinite(value) ? value : undefined)

/** SQLite's whole numbers have 64 bits. */
const MAX_WHOLE = 2n ** 63n - 1n
const MIN_WHOLE = -MAX_WHOLE
/** A double keeps 15 decimal digits. */
const MAX_DIGITS = 15
