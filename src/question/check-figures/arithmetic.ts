/** Decides whether a number follows from two others by simple arithmetic. */
import { firstFrom, slack } from './sorted-numbers.ts'
import type { Reading } from './numbers.ts'

/** `isPercent`: the number may be a share or a change. */
export interface WantedNumber extends Reading {
  isPercent: boolean
}

/** How many neighbours of a number are tried on each side, to estimate how likely a match by chance is. */
const NEIGHBOURS = 5

/**
 * Returns two numbers of the pool from which the wanted one follows: as sum, difference, mean, product, quotient,
 * percentage of one or change from one to the other. Among many numbers nearly everything follows from some pair, so a
 * match counts only if at most `max` of the ten neighbouring numbers would match as well.
 * @param pool different numbers, sorted
 */
export function followsFrom(
  pool: readonly number[],
  wanted: WantedNumber,
  max: number,
): [one: number, other: number] | undefined {
  const found = pairFor(pool, wanted)
  if (!found) return undefined
  const step = Math.max(2 * wanted.tolerance, Math.abs(wanted.value) * 1e-6, 1e-9)
  let others = 0
  for (let n = -NEIGHBOURS; n <= NEIGHBOURS; n += 1)
    if (n !== 0 && pairFor(pool, { ...wanted, value: wanted.value + n * step })) others += 1
  return others <= max ? found : undefined
}

function pairFor(pool: readonly number[], { value, tolerance, isPercent }: WantedNumber): [number, number] | undefined {
  const low = value - tolerance - slack(value)
  const high = value + tolerance + slack(value)
  const near = (one: number, other: number) => firstBetween(pool, Math.min(one, other), Math.max(one, other))
  for (const a of pool) {
    const isFactor = a !== 0 && Math.abs(a) !== 1
    const others = [
      near(low - a, high - a),
      near(low + a, high + a),
      // The mean of both.
      near(2 * low - a, 2 * high - a),
      isFactor ? near(low / a, high / a) : undefined,
      isFactor && low > 0 ? near(low * a, high * a) : undefined,
      isPercent ? near((a * low) / 100, (a * high) / 100) : undefined,
      isPercent ? near(a * (1 + low / 100), a * (1 + high / 100)) : undefined,
      isPercent ? near(a * (1 - low / 100), a * (1 - high / 100)) : undefined,
      // A percentage that is added to a number or taken from it.
      a > 0 && a < 1 ? near(low / (1 + a), high / (1 + a)) : undefined,
      a > 0 && a < 1 ? near(low / (1 - a), high / (1 - a)) : undefined,
    ]
    const other = others.find((b) => b !== undefined && b !== 0 && b !== a && !isSameDigits(a, b))
    if (other !== undefined) return [a, other]
  }
  return undefined
}

/** Two readings of one number: `1,234` may be 1234 or 1.234. */
function isSameDigits(a: number, b: number): boolean {
  const [low, high] = Math.abs(a) < Math.abs(b) ? [a, b] : [b, a]
  return !Number.isInteger(low) && Math.abs(low * 1000 - high) < 1e-6 * Math.abs(high)
}

/** The first number of a sorted list from `low` to `high`. */
function firstBetween(sorted: readonly number[], low: number, high: number): number | undefined {
  const found = sorted[firstFrom(sorted, (one) => one < low)]
  return found !== undefined && found <= high ? found : undefined
}
