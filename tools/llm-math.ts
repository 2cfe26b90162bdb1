/**
 * Turns words into an expression by the model, and then uses the calculator: LangChain's llm-math of "How ReAct
 * Prompting Works", without its Python.
 */
import { z } from 'zod'
import type { Tool, ToolContext } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { calculate, formatResult } from './calculator.ts'
import { oneLine } from './service-response.ts'
import { queryText } from './query-text.ts'
import type { ToolParts } from './tool-settings.ts'
import { defineTool } from '../src/agent/define-tool.ts'

/** Longer than a query, since it only goes to the model. */
const MAX_QUESTION = 1000

export function llmMath({ prompts }: ToolParts): Tool {
  return defineTool({
    name: 'llm_math',
    title: 'Math',
    description: 'Answers questions about math. Input: the question in words.',
    schema: z.object({ question: queryText(MAX_QUESTION).min(1).describe('the question') }),
    run: async ({ question }, context) =>
      `Answer: ${formatResult(await solve(question, context, prompts?.['llm-math']))}`,
  })
}

/** Calculates a question that is an expression. Asks the model for the expression of any other. */
async function solve(
  question: string,
  context: ToolContext,
  prompt?: (values: { question: string }) => string,
): Promise<number> {
  const known = attempt(question)
  if (typeof known === 'number') return known
  if (!prompt) throw new ToolError(known)
  const reply = await context.ask(prompt({ question }))
  let fault = 'The model wrote no expression for this.'
  for (const candidate of candidatesIn(reply)) {
    const tried = attempt(candidate)
    if (typeof tried === 'number') return tried
    fault = `The model wrote "${oneLine(candidate, 80)}" for this. ${tried}`
  }
  throw new ToolError(fault)
}

/** Calculates an expression. Returns a sentence if it fails, so that the caller can try another one. */
function attempt(expression: string): number | string {
  try {
    return calculate(expression)
  } catch (error) {
    return error instanceof ToolError ? error.message : 'It could not be calculated.'
  }
}

/** Returns the possible expressions in a reply, likeliest first: fenced text, then lines, without their labels. */
function candidatesIn(reply: string): string[] {
  const text = reply.slice(0, 4000)
  const fenced = [...text.matchAll(/```\w*\n([^`]*)```/g)].map((match) => match[1] ?? '')
  const lines = text.split('\n').map((line) => line.replace(/^[\w ]{0,30}:/, '').trim())
  return [...fenced, ...lines].filter((line) => line !== '' && !line.startsWith('```')).slice(0, 20)
}
