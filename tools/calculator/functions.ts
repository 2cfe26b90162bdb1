/** A function of the calculator and how many arguments it takes. */
interface MathFunction {
  apply: (...values: number[]) => number
  min: number
  max: number
}

// The reader counts arguments, so surplus ones never reach a function.
const one = (apply: (x: number) => number): MathFunction => ({ apply, min: 1, max: 1 })
const two = (apply: (x: number, y: number) => number): MathFunction => ({
  apply: (x = NaN, y = NaN) => apply(x, y),
  min: 2,
  max: 2,
})
const many = (apply: (...values: number[]) => number): MathFunction => ({ apply, min: 1, max: Infinity })

/** All functions, in the spellings that models use. All run in bounded time on doubles. */
export const FUNCTIONS: ReadonlyMap<string, MathFunction> = new Map(
  Object.entries({
    sqrt: one(Math.sqrt),
    cbrt: one(Math.cbrt),
    abs: one(Math.abs),
    ceil: one(Math.ceil),
    floor: one(Math.floor),
    trunc: one(Math.trunc),
    int: one(Math.trunc),
    sign: one(Math.sign),
    round: { apply: round, min: 1, max: 2 },
    exp: one(Math.exp),
    ln: one(Math.log),
    log: { apply: log, min: 1, max: 2 },
    log2: one(Math.log2),
    log10: one(Math.log10),
    lg: one(Math.log10),
    pow: two(Math.pow),
    mod: two((a, b) => a % b),
    min: many(Math.min),
    max: many(Math.max),
    sum: many((...values) => values.reduce((a, b) => a + b, 0)),
    hypot: many(Math.hypot),
    fac: one(factorial),
    factorial: one(factorial),
    sin: one(Math.sin),
    cos: one(Math.cos),
    tan: one(Math.tan),
    asin: one(Math.asin),
    acos: one(Math.acos),
    atan: one(Math.atan),
    atan2: two(Math.atan2),
    sinh: one(Math.sinh),
    cosh: one(Math.cosh),
    tanh: one(Math.tanh),
    radians: one((x) => (x * Math.PI) / 180),
    degrees: one((x) => (x * 180) / Math.PI),
  }),
)

/** Names of constants. */
export const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['tau', 2 * Math.PI],
  ['e', Math.E],
])

/** `log(x)` is the natural logarithm, as in JavaScript and Python. `log(x, base)` is exact for whole powers. */
function log(x: number, base?: number): number {
  if (base === undefined) return Math.log(x)
  if (base === 10) return Math.log10(x)
  const power = Math.log(x) / Math.log(base)
  const whole = Math.round(power)
  return base ** whole === x ? whole : power
}

/** Rounds half up at a decimal place. Shifts the exponent as text, so that 1.005 becomes 1.01 and not 1. */
function round(x: number, digits = 0): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > 15) return NaN
  const shift = (value: number, by: number) => {
    const [mantissa, exponent = '0'] = String(value).split('e')
    return Number(`${mantissa}e${Number(exponent) + by}`)
  }
  return shift(Math.round(shift(x, digits)), -digits)
}

/** Returns the factorial of a whole number; 171! exceeds a double. */
export function factorial(n: number): number {
  if (!Number.isInteger(n) || n < 0) return NaN
  if (n > 170) return Infinity
  let product = 1
  for (let i = 2; i <= n; i += 1) product *= i
  return product
}
