import { isInputRequiredResult, type Client } from '@modelcontextprotocol/client'
import { ToolError } from '../errors.ts'
import { outputOf } from './call-result.ts'
import type { Hide } from './hide-secrets.ts'
import type { CallOptions, CallResult, ServerTool } from './types.ts'

export interface ToolCall {
  /** The server's. */
  name: string
  tool: string
  args: Record<string, unknown>
  /** As it was listed, where it was: some of its arguments may have to be sent as headers too. */
  listed?: ServerTool | undefined
  hide: Hide
}

/** One request, and what it gives. @throws whatever the SDK throws, and ToolError where the tool failed */
export async function callTool(client: Client, call: ToolCall, options: CallOptions): Promise<CallResult> {
  const { name, tool, args, listed, hide } = call
  const definition = listed && {
    toolDefinition: { name: tool, inputSchema: { ...listed.inputSchema, type: 'object' as const } },
  }
  const result = await client.callTool(
    { name: tool, arguments: args },
    { signal: options.signal, timeout: options.timeoutMs, allowInputRequired: true, ...definition },
  )
  if (isInputRequiredResult(result))
    throw new ToolError(`${name} asks the person for something, which cannot be asked here.`)
  return outputOf(result, { name, hide })
}
