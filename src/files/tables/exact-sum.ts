/** Adds numbers as people write them: ten times 0.1 is 1, and whole numbers keep all their digits. */
import type { SqlCell } from './types.ts'

const SCALE = 12
const UNIT = 10n ** BigInt(SCALE)
const SAFE = 2 ** 52

export class ExactSum {
  count = 0
  #whole = 0n
  /** By the number of digits behind the point: sums of numbers without their point, until they grow large. */
  readonly #parts = new Float64Array(7)
  /** What has more digits than fit here. */
  #rest = 0
  #restCount = 0

  /** @param sign -1 takes the value out again, as windows do */
  add([value]: SqlCell[], sign: 1 | -1): void {
    if (value === null || value === undefined) return
    this.count += sign
    if (typeof value === 'bigint') this.#whole += BigInt(sign) * value * UNIT
    else if (typeof value === 'number') this.#addNumber(value, sign)
    else
      throw new Error(
        `"${String(value).slice(0, 40)}" is text, so it cannot be added up. number(…) reads the numbers in a text`,
      )
  }

  #addNumber(written: number, sign: number): void {
    // Most numbers are written with few digits. Results such as 0.1 + 0.2 are not.
    if (this.#addPart(written, sign)) return
    const value = Number(written.toPrecision(15))
    if (this.#addPart(value, sign)) return
    this.#rest += sign * value
    this.#restCount += sign
  }

  /** @returns false if the number has more digits than the parts */
  #addPart(value: number, sign: number): boolean {
    for (let digits = 0, power = 1; digits < this.#parts.length; digits += 1, power *= 10) {
      const shifted = Math.round(value * power)
      if (Math.abs(shifted) > SAFE) return false
      if (shifted / power !== value) continue
      this.#parts[digits]! += sign * shifted
      if (Math.abs(this.#parts[digits]!) > SAFE) this.#carry()
      return true
    }
    return false
  }

  #carry(): void {
    this.#parts.forEach((part, digits) => {
      this.#whole += BigInt(part) * 10n ** BigInt(SCALE - digits)
      this.#parts[digits] = 0
    })
  }

  /** Returns null if nothing was added. */
  get sum(): number | bigint | null {
    if (this.count === 0) return null
    this.#carry()
    if (this.#restCount > 0) return this.#rest + asNumber(this.#whole)
    const whole = this.#whole / UNIT
    if (this.#whole % UNIT === 0n && whole < 2n ** 63n && whole > -(2n ** 63n)) return whole
    return asNumber(this.#whole)
  }

  get average(): number | null {
    const { sum } = this
    return sum === null ? null : Number((Number(sum) / this.count).toPrecision(15))
  }
}

function asNumber(scaled: bigint): number {
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(SCALE + 1, '0')
  return Number(`${scaled < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`)
}

/** Rounds the digits that people see: `round(1.005, 2)` is 1.01. */
export function roundExactly(value: number, digits: number): number {
  const places = Math.max(0, Math.min(15, Math.trunc(digits)))
  const [mantissa = '0', power = '0'] = String(Number(Math.abs(value).toPrecision(15))).split('e')
  const rounded = Math.round(Number(`${mantissa}e${Number(power) + places}`))
  if (!Number.isSafeInteger(rounded)) return value
  return Math.sign(value) * Number(`${rounded}e-${places}`)
}
