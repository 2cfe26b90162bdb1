/**
 * An example of custom tools, to copy from: the invoices of six companies of "ReAct with LangChain", and sums over
 * them. examples.md has worked examples for AGENT_DIALECT=bracket. `TOOLS=invoices` turns the tools on.
 */
import { z } from 'zod'
import type { Tool, ToolOutput } from '../../../src/agent/contracts/tool.ts'
import { defineTool } from '../../../src/agent/define-tool.ts'
import { ToolError } from '../../../src/base/errors.ts'

const INVOICES = new Map([
  ['A', 2000],
  ['B', 1500],
  ['C', 20000],
  ['D', 6700],
  ['E', 1000],
  ['F', 4100],
])

const schema = z.object({ quantities: z.string().describe('numbers with spaces between') })

const getInvoice = defineTool({
  name: 'GetInvoice',
  description: 'Gives the invoice amount of a trading company, or of all.',
  schema: z.object({ company: z.string().describe('name of the company') }),
  run: async ({ company }) => (/^\W*all\b/i.test(company) ? allAmounts() : String(amountOf(company))),
})

const diff = defineTool({
  name: 'Diff',
  description: 'Gives the difference of two numbers.',
  schema,
  run: async (input) => {
    const [first, second, ...more] = numbersIn(input.quantities)
    if (first === undefined || second === undefined || more.length > 0) throw new ToolError('Diff takes two numbers.')
    return String(Math.abs(first - second))
  },
})

const total = defineTool({
  name: 'Total',
  description: 'Gives the sum of numbers.',
  schema,
  run: async (input) => String(numbersIn(input.quantities).reduce((sum, n) => sum + n, 0)),
})

/** The three tools, in the order of that text. */
export function invoices(): Tool[] {
  return [getInvoice, diff, total]
}

/** Returns all invoice amounts, one per line, and as a series for people. */
function allAmounts(): ToolOutput {
  const points = [...INVOICES].map(([company, amount]) => ({ label: company, value: amount }))
  const text = points.map(({ label, value }) => `${label}: ${value}`).join('\n')
  return { text, series: { title: 'Invoice amounts by company', points } }
}

/** Accepts `A`, `company A` and `"a"`. */
function amountOf(given: string): number {
  const company = given
    .replace(/["'`]/g, '')
    .replace(/^\s*company\b/i, '')
    .trim()
    .toUpperCase()
  const amount = INVOICES.get(company)
  if (amount === undefined)
    throw new ToolError(`There is no invoice of "${given.slice(0, 40)}", only of ${[...INVOICES.keys()].join(', ')}.`)
  return amount
}

/** Parses `2000 1500`; commas are allowed. @throws ToolError for anything else */
function numbersIn(text: string): number[] {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '')
  const numbers = parts.map(Number)
  if (parts.length === 0 || !numbers.every(Number.isFinite))
    throw new ToolError('Give numbers with spaces between, such as 2000 1500.')
  return numbers
}
