/** Exact arithmetic with + - * / % ^ ! on whole numbers and decimals, as fractions of whole numbers. */

interface Fraction {
  n: bigint
  /** Positive. */
  d: bigint
}

/** The limit of a fraction. */
const MAX_BITS = 4_000
const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e(-?\d{1,3}))?$/

/**
 * Returns the whole number that an expression of `readExpression` has as its value. Undefined if the value is not a
 * whole number, is longer than `MAX_BITS`, or needs a function.
 */
export function wholeValue(expression: string): string | undefined {
  const reader = new FractionReader(expression.split(' '))
  const value = reader.sum()
  return value && reader.isDone && value.d === 1n ? String(value.n) : undefined
}

/** Returns whether all numbers of an expression are whole. */
export function isOfWholeNumbers(expression: string): boolean {
  return !/\d[.e]/.test(expression)
}

/** Returns whether a number of an expression is larger than the whole numbers that a double holds. */
export function hasUnsafeNumber(expression: string): boolean {
  return expression.split(' ').some((token) => Number(token) > Number.MAX_SAFE_INTEGER)
}

/** Reads by the precedence of expr-eval. Every method returns undefined for what is not exact. */
class FractionReader {
  readonly #tokens: string[]
  #at = 0

  constructor(tokens: string[]) {
    this.#tokens = tokens
  }

  get isDone(): boolean {
    return this.#at === this.#tokens.length
  }

  sum(): Fraction | undefined {
    return this.#chain(['+', '-'], () => this.#chain(['*', '/', '%'], () => this.#factor()))
  }

  #chain(signs: string[], next: () => Fraction | undefined): Fraction | undefined {
    let value = next()
    while (value && signs.includes(this.#tokens[this.#at] ?? '')) {
      const sign = this.#tokens[this.#at++] ?? ''
      const other = next()
      value = combined(value, sign, other)
    }
    return value
  }

  #factor(): Fraction | undefined {
    if (this.#take('+')) return this.#factor()
    if (this.#take('-')) return combined({ n: 0n, d: 1n }, '-', this.#factor())
    const base = this.#postfix()
    if (!base || !this.#take('^')) return base
    const exponent = this.#factor()
    return exponent && power(base, exponent)
  }

  #postfix(): Fraction | undefined {
    let value = this.#atom()
    while (value && this.#take('!')) value = factorial(value)
    return value
  }

  #atom(): Fraction | undefined {
    if (this.#take('(')) {
      const value = this.sum()
      return this.#take(')') ? value : undefined
    }
    const [, whole = '', decimals = '', exponent = '0'] = DECIMAL.exec(this.#tokens[this.#at++] ?? '') ?? []
    if (whole === '') return undefined
    const shift = Number(exponent) - decimals.length
    const digits = BigInt(whole + decimals)
    return shift < 0 ? fraction(digits, 10n ** BigInt(-shift)) : fraction(digits * 10n ** BigInt(shift), 1n)
  }

  #take(token: string): boolean {
    const taken = this.#tokens[this.#at] === token
    if (taken) this.#at += 1
    return taken
  }
}

function combined(a: Fraction, sign: string, b: Fraction | undefined): Fraction | undefined {
  if (!b) return undefined
  if (sign === '+') return fraction(a.n * b.d + b.n * a.d, a.d * b.d)
  if (sign === '-') return fraction(a.n * b.d - b.n * a.d, a.d * b.d)
  if (sign === '*') return fraction(a.n * b.n, a.d * b.d)
  if (b.n === 0n) return undefined
  return sign === '/' ? fraction(a.n * b.d, a.d * b.n) : fraction((a.n * b.d) % (b.n * a.d), a.d * b.d)
}

function power({ n, d }: Fraction, exponent: Fraction): Fraction | undefined {
  const times = exponent.n < 0n ? -exponent.n : exponent.n
  const isSmall = exponent.d === 1n && times <= MAX_BITS && (bitsOf(n) + bitsOf(d)) * Number(times) <= 2 * MAX_BITS
  if (!isSmall || (n === 0n && exponent.n < 0n)) return undefined
  return exponent.n < 0n ? fraction(d ** times, n ** times) : fraction(n ** times, d ** times)
}

function factorial({ n, d }: Fraction): Fraction | undefined {
  if (d !== 1n || n < 0n || n > 170n) return undefined
  let product = 1n
  for (let i = 2n; i <= n; i++) product *= i
  return fraction(product, 1n)
}

function fraction(n: bigint, d: bigint): Fraction | undefined {
  if (bitsOf(n) > MAX_BITS || bitsOf(d) > MAX_BITS) return undefined
  const sign = d < 0n ? -1n : 1n
  const divisor = commonDivisor(n < 0n ? -n : n, d < 0n ? -d : d)
  return { n: (sign * n) / divisor, d: (sign * d) / divisor }
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [one, other] = [a, b]
  while (other !== 0n) [one, other] = [other, one % other]
  return one
}

/** The length of a whole number, in bits, rounded up to four. */
function bitsOf(n: bigint): number {
  return n === 1n || n === 0n ? 0 : n.toString(16).length * 4
}
