import { Parser } from 'expr-eval'
import { z } from 'zod'
import type { Tool } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { hasUnsafeNumber, isOfWholeNumbers, wholeValue } from './calculator/exact-value.ts'
import { CONSTANTS, factorial, FUNCTIONS } from './calculator/functions.ts'
import { readExpression } from './calculator/read-expression.ts'
import { defineTool } from '../src/agent/define-tool.ts'

/** Longer expressions are rejected unread. */
const MAX_LENGTH = 1000

/**
 * Evaluates arithmetic. Whole numbers are exact; other numbers are as JavaScript prints them, without rounding errors
 * of binary fractions.
 */
export function calculator(): Tool {
  return defineTool({
    name: 'calculator',
    title: 'Calculator',
    description: 'Evaluates a mathematical expression: numbers, + - * / ^, brackets, functions such as sqrt.',
    schema: z.object({ expression: z.string().describe('the expression') }),
    run: async ({ expression }) => resultOf(expression),
  })
}

/** A longer whole number is rounded. */
const MAX_DIGITS = 100

/**
 * Whole numbers are exact. One that a double cannot hold, and that cannot be computed exactly, is marked as rounded.
 */
function resultOf(expression: string): string {
  const checked = checkedExpression(expression)
  const value = valueOf(checked)
  const isUnsafe = hasUnsafeNumber(checked) || Math.abs(value) > Number.MAX_SAFE_INTEGER
  const whole = isUnsafe || isOfWholeNumbers(checked) ? wholeValue(checked) : undefined
  const printed = formatResult(value)
  if (whole === undefined) return isUnsafe ? `about ${printed}` : printed
  if (wholeValue(printed.replace('e+', 'e')) === whole) return printed
  return whole.length <= MAX_DIGITS ? whole : `about ${printed}`
}

/**
 * Returns the value of an expression. Two independent checks exclude everything but arithmetic: the reader, and the
 * parser, which knows only our operators and functions.
 * @throws ToolError with a sentence if it is not arithmetic, too long or deep, or has no finite value
 */
export function calculate(expression: string): number {
  return valueOf(checkedExpression(expression))
}

function checkedExpression(expression: string): string {
  if (expression.length > MAX_LENGTH)
    throw new ToolError(`The expression is too long: at most ${MAX_LENGTH} characters.`)
  return readExpression(expression)
}

function valueOf(checked: string): number {
  const value: unknown = parser.evaluate(checked)
  if (typeof value !== 'number' || Number.isNaN(value))
    throw new ToolError('The expression has no value: it divides zero by zero, or leaves the real numbers.')
  if (!Number.isFinite(value)) throw new ToolError('The result is too large for a number, or a division by zero.')
  return value
}

/** A double is exact to 15 decimal digits. A result that needs at most this many of them is shown rounded. */
const ROUND_DIGITS = 12

/**
 * Returns a value as JavaScript prints it, without a rounding error in its last digits: 0.3 for 0.1 + 0.2.
 */
export function formatResult(value: number): string {
  const rounder = Number(value.toPrecision(15))
  const isRoundingError = !Number.isInteger(value) && digitsOf(value) > 15 && digitsOf(rounder) <= ROUND_DIGITS
  return String(isRoundingError ? rounder : value)
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
  const functions = [...FUNCTIONS].map(([name, { apply }]) => [name, apply])
  arithmetic.functions = Object.assign(Object.create(null), Object.fromEntries(functions))
  arithmetic.consts = Object.fromEntries(CONSTANTS)
  return arithmetic
}
