import { Parser } from 'expr-eval'
import { z } from 'zod'
import type { Tool } from '../src/agent/types.ts'
import { ToolError } from '../src/errors.ts'
import { CONSTANTS, factorial, FUNCTIONS } from './calculator/functions.ts'
import { readExpression } from './calculator/read-expression.ts'

/** Longer expressions are refused unread. */
const MAX_LENGTH = 1000

/** Evaluates arithmetic. Its output is the number as JavaScript prints it, without the dust of binary fractions. */
export function calculator(): Tool<{ expression: string }> {
  return {
    name: 'calculator',
    description: 'Evaluates a mathematical expression, e.g. (54-32)*5/9 or sqrt(2)^0.5.',
    schema: z.object({ expression: z.string().describe('the expression') }),
    effects: 'read',
    run: async ({ expression }) => shown(calculate(expression)),
  }
}

/**
 * The value of an expression. The reader lets nothing but arithmetic through, and the parser knows no other operators
 * and functions than ours, so that either alone would do.
 * @throws ToolError with a sentence when it is not arithmetic, too long or deep, or has no finite value.
 */
export function calculate(expression: string): number {
  if (expression.length > MAX_LENGTH)
    throw new ToolError(`The expression is too long: at most ${MAX_LENGTH} characters.`)
  const value: unknown = parser.evaluate(readExpression(expression))
  if (typeof value !== 'number' || Number.isNaN(value))
    throw new ToolError('The expression has no value: it divides zero by zero, or leaves the real numbers.')
  if (!Number.isFinite(value)) throw new ToolError('The result is too large for a number, or a division by zero.')
  return value
}

/** A double carries 15 decimal digits faithfully; with so few of them something round was meant. */
const ROUND_DIGITS = 12

/**
 * A value as text: as JavaScript prints it (17 digits at most), unless its 15 faithful digits are plainly rounder, as 0.3 is
 * for 0.1+0.2. Whole numbers are exact and stay.
 */
export function shown(value: number): string {
  const rounder = Number(value.toPrecision(15))
  const isDust = !Number.isInteger(value) && digitsOf(value) > 15 && digitsOf(rounder) <= ROUND_DIGITS
  return String(isDust ? rounder : value)
}

/** How many significant digits a number is printed with. */
function digitsOf(value: number): number {
  const [mantissa = ''] = String(value).split('e')
  return mantissa.replace(/\D/g, '').replace(/^0+|0+$/g, '').length
}

const parser = arithmeticParser()

function arithmeticParser(): Parser {
  const off = Object.fromEntries(
    ['assignment', 'fndef', 'array', 'in', 'concatenate', 'conditional', 'comparison', 'logical'].map((o) => [
      o,
      false,
    ]),
  )
  const arithmetic = new Parser({ operators: off, allowMemberAccess: false })
  const plus = (x: number) => x
  const minus = (x: number) => -x
  arithmetic.unaryOps = Object.assign(Object.create(null), { '+': plus, '-': minus, '!': factorial })
  arithmetic.functions = Object.assign(Object.create(null), applied())
  arithmetic.consts = Object.fromEntries(CONSTANTS)
  return arithmetic
}

function applied(): Record<string, unknown> {
  return Object.fromEntries([...FUNCTIONS].map(([name, { apply }]) => [name, apply]))
}
