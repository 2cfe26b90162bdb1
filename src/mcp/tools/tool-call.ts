import type { ToolQuestion } from '../../agent/contracts/tool.ts'
import { ToolError } from '../../base/errors.ts'
import { outputOf } from './call-result.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import type { Hide } from './hide-secrets.ts'
import type { ToolCallOptions, CallResult, ServerTool } from '../types.ts'

interface ServerToolCall {
  /** The server's name. */
  name: string
  tool: string
  args: Record<string, unknown>
  /** The listed tool, if there is one. Some of its arguments may also have to be sent as headers. */
  listed?: ServerTool | undefined
  hide: Hide
}

/**
 * Makes one call.
 * @returns its output, or its question
 * @throws what the SDK throws, and ToolError if the tool failed
 */
export async function callTool(
  elicitation: Elicitation,
  call: ServerToolCall,
  options: ToolCallOptions,
): Promise<CallResult> {
  const { name, tool, args, listed, hide } = call
  const definition = listed && {
    toolDefinition: { name: tool, inputSchema: { ...listed.inputSchema, type: 'object' as const } },
  }
  const { answers = [], isRepeatable = false, signal, timeoutMs: timeout } = options
  const notes: string[] = []
  const called = await elicitation.callTool(
    { name: tool, arguments: args },
    { signal, timeout, ...definition },
    { answers, isRepeatable, notes },
  )
  if ('asks' in called) return { asks: shownQuestion(called.asks, call) }
  const said = notes.map((note) => `\n\n(${note})`).join('')
  try {
    const output = outputOf(called.result, { name, hide })
    return { ...output, text: `${output.text}${said}` }
  } catch (error) {
    throw error instanceof ToolError && said !== '' ? new ToolError(`${error.message}${said}`) : error
  }
}

/** Hides the config's secrets in texts for people. The state for the server stays unchanged. */
function shownQuestion({ message, schema, url, ...kept }: ToolQuestion, { name, hide }: ServerToolCall): ToolQuestion {
  if (url !== undefined && hide.text(url) !== url)
    throw new ToolError(
      `${name} sends the person to an address that contains a secret of its configuration. It was not shown.`,
    )
  const what = { ...(schema && { schema: hide.json(schema) }), ...(url !== undefined && { url }) }
  return { ...kept, message: hide.text(message), ...what }
}
