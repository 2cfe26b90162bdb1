import { Parser } from 'expr-eval'
import { z } from 'zod'
import type { Tool } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { CONSTANTS, factorial, FUNCTIONS } from './calculator/functions.ts'
import { readExpression } from './calculator/read-expression.ts'
import { zodInput } from '../src/agent/tool-input.ts'

/** Longer expressions are rejected unread. */
const MAX_LENGTH = 1000

/**
 * Evaluates arithmetic. Its output is the number as JavaScript prints it, without rounding errors of binary fractions.
 */
export function calculator(): Tool<{ expression: string }> {
  return {
    name: 'calculator',
    title: 'Calculator',
    description: 'Evaluates a mathematical expression, e.g. (54-32)*5/9 or sqrt(2)^0.5.',
    ...zodInput(z.object({ expression: z.string().describe('the expression') })),
    effects: 'read',
    run: async ({ expression }) => formatResult(calculate(expression)),
  }
}

/**
 * Returns the value of an expression. The reader lets only arithmetic through, and the parser knows only our operators
 * and functions, so that either alone would do.
 * @throws ToolError with a sentence if it is no arithmetic, too long or deep, or has no finite value
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

/** A double carries 15 decimal digits faithfully; a number with so few of them was meant to be round. */
const ROUND_DIGITS = 12

/**
 * Returns a value as JavaScript prints it, unless its 15 faithful digits are plainly rounder, as 0.3 is for 0.1+0.2.
 */
export function formatResult(value: number): string {
  const rounder = Number(value.toPrecision(15))
  const isDust = !Number.isInteger(value) && digitsOf(value) > 15 && digitsOf(rounder) <= ROUND_DIGITS
  return String(isDust ? rounder : value)
}

/** Returns how many significant digits a number is printed with. */
function digitsOf(value: number): number {
  const [mantissa = ''] = String(value).split('e')
  return mantissa.replace(/\D/g, '').replace(/^0+|0+$/g, '').length
}

const parser = arithmeticParser()

function arithmeticParser(): Parser {
  const off = ['assignment', 'fndef', 'array', 'in', 'concatenate', 'conditional', 'comparison', 'logical']
  const operators = Object.fromEntries(off.map((operator) => [operator, false]))
  const arithmetic = new Parser({ operators, allowMemberAccess: false })
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
