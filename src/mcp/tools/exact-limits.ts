/** Compares the numbers of a schema with those of an input digit by digit, where a double would round one of them. */
import { isDeepStrictEqual } from 'node:util'
import { digitsOf } from '../../base/parse-json.ts'

/** The keywords of a schema that hold numbers. */
export const NUMERIC = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum', 'const']

/** Returns whether a keyword's value has a number that is a whole one over 2^53, or near it. */
export function isLarge(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isLarge)
  const number = digitsOf(value) ?? value
  return digitsOf(value) !== undefined || (typeof number === 'number' && Math.abs(number) >= Number.MAX_SAFE_INTEGER)
}

/** Why a value does not fit a keyword, or undefined. Both may have marked numbers. */
export function misfit(keyword: string, limit: unknown, value: unknown): string | undefined {
  if (keyword === 'enum') {
    const all = Array.isArray(limit) ? limit : []
    return all.some((one) => isSame(one, value)) ? undefined : `should be one of ${valuesText(all)}`
  }
  if (keyword === 'const') return isSame(limit, value) ? undefined : `should be ${valuesText([limit])}`
  const [one, other] = [numberOf(value), numberOf(limit)]
  if (one === undefined || other === undefined) return undefined
  const order = compare(one, other)
  if (keyword === 'minimum' && order < 0) return `must be >= ${other}`
  if (keyword === 'maximum' && order > 0) return `must be <= ${other}`
  if (keyword === 'exclusiveMinimum' && order <= 0) return `must be > ${other}`
  if (keyword === 'exclusiveMaximum' && order >= 0) return `must be < ${other}`
  return keyword === 'multipleOf' && !isMultiple(one, other) ? `must be multiple of ${other}` : undefined
}

/** The values as JSON, for a message. */
export function valuesText(values: unknown[]): string {
  return values
    .slice(0, 20)
    .map((value) => digitsOf(value) ?? JSON.stringify(value))
    .join(', ')
    .slice(0, 300)
}

function isSame(one: unknown, other: unknown): boolean {
  const [a, b] = [numberOf(one), numberOf(other)]
  return a !== undefined && b !== undefined ? compare(a, b) === 0 : isDeepStrictEqual(one, other)
}

/** The digits of a number, marked or not. */
function numberOf(value: unknown): string | undefined {
  return digitsOf(value) ?? (typeof value === 'number' ? String(value) : undefined)
}

/** Longer numbers are compared as doubles, because arithmetic on them takes more than linear time. */
const MAX_DIGITS = 1_000

/** The value of a whole number, such as `12`, `12.0` or `2e+21`; undefined for a fraction. */
function wholeOf(digits: string): bigint | undefined {
  const [, whole = '', exponent = '0'] = /^(-?\d+)(?:\.0+)?(?:[eE]\+?(\d{1,3}))?$/.exec(digits) ?? []
  if (whole === '' || whole.length + Number(exponent) > MAX_DIGITS) return undefined
  return BigInt(whole) * 10n ** BigInt(exponent)
}

function compare(one: string, other: string): number {
  const [a, b] = [wholeOf(one), wholeOf(other)]
  if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : 0
  return Math.sign(Number(one) - Number(other))
}

function isMultiple(one: string, other: string): boolean {
  const [a, b] = [wholeOf(one), wholeOf(other)]
  if (a !== undefined && b !== undefined) return b === 0n || a % b === 0n
  return Number.isInteger(Number(one) / Number(other))
}
