import type { ToolContext, ToolOutput, Tool } from '../../src/agent/contracts/tool.ts'

/** Returns the context of a tool in a run, with only the parts that a test provides. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    fetch: nothingThere,
    now: () => new Date('2026-11-21T12:00:00Z'),
    ask: nothingThere,
    memory: {},
    ...given,
  }
}

async function nothingThere(): Promise<never> {
  throw new Error('this test gave the tool no such thing')
}

/** Runs a tool by name, as the loop does after it has checked the input. */
export async function runTool(
  tools: Tool[],
  call: { tool: string; input: unknown },
  context: ToolContext,
): Promise<ToolOutput> {
  const tool = tools.find((one) => one.name === call.tool)
  if (!tool) throw new Error(`no tool ${call.tool}`)
  const input = tool.parse(call.input)
  if (!input.ok) throw new Error(`${call.tool} does not take this: ${JSON.stringify(input.issues)}`)
  const output = await tool.run(input.value, context)
  if (typeof output !== 'string' && 'asks' in output) throw new Error(`${call.tool} asks: ${output.asks.message}`)
  return typeof output === 'string' ? { text: output } : output
}
