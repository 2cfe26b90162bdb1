import { Parser } from 'expr-eval'
import { z } from 'zod'
import type { Tool } from '../src/agent/types.ts'
import { ToolError } from '../src/errors.ts'
import { clean } from './calculator/clean.ts'
import { CONSTANTS, factorial, FUNCTIONS } from './calculator/functions.ts'
import { readExpression } from './calculator/read.ts'

/** Longer expressions are refused unread. */
const MAX_LENGTH = 1000

/** Evaluates arithmetic. Its output is the number as JavaScript prints it. */
export function calculator(): Tool<{ expression: string }> {
  return {
    name: 'calculator',
    description: 'Evaluates a mathematical expression, e.g. (54-32)*5/9 or sqrt(2)^0.5.',
    schema: z.object({ expression: z.string().describe('the expression') }),
    effects: 'read',
    run: async ({ expression }) => String(calculate(expression)),
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
  const value: unknown = parser.evaluate(readExpression(clean(expression)))
  if (typeof value !== 'number' || Number.isNaN(value))
    throw new ToolError('The expression has no value: it divides zero by zero, or leaves the real numbers.')
  if (!Number.isFinite(value)) throw new ToolError('The result is too large for a number, or a division by zero.')
  return value
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
