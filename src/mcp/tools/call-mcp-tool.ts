import type { ToolQuestion, ToolOutput } from '../../agent/contracts/tool.ts'
import type { Source } from '../../agent/contracts/evidence.ts'
import { ToolError } from '../../base/errors.ts'
import { parseExact, stringifyExact } from '../../base/parse-json.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import type { Hide } from './hide-config-secrets.ts'
import type { ToolCallOptions, CallResult, ServerTool } from '../types.ts'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

interface ServerToolCall {
  /** The server's name. */
  name: string
  tool: string
  args: Record<string, unknown>
  /** The listed tool. Some of its arguments may also have to be sent as headers. */
  listed: ServerTool
  hide: Hide
}

/**
 * Makes one call.
 * @returns its output, or its question
 * @throws what the SDK throws, and ToolError if the tool failed
 */
export async function callMcpTool(
  elicitation: Elicitation,
  call: ServerToolCall,
  options: ToolCallOptions,
): Promise<CallResult> {
  const { name, tool, args, listed, hide } = call
  const toolDefinition = { name: tool, inputSchema: { ...listed.inputSchema, type: 'object' as const } }
  const { answers = [], isRepeatable = false, signal, timeoutMs: timeout } = options
  const notes: string[] = []
  const outcome = await elicitation.callTool(
    { name: tool, arguments: args },
    { signal, timeout, toolDefinition },
    { answers, isRepeatable, notes },
  )
  if ('asks' in outcome) return { asks: questionForPeople(outcome.asks, call) }
  const noteText = notes.map((note) => `\n\n(${note})`).join('')
  try {
    const output = outputOf(outcome.result, { name, hide })
    return { ...output, text: `${output.text}${noteText}` }
  } catch (error) {
    throw error instanceof ToolError && noteText !== '' ? new ToolError(`${error.message}${noteText}`) : error
  }
}

/** Hides the config's secrets in texts for people. The state for the server stays unchanged. */
function questionForPeople(
  { message, schema, url, ...kept }: ToolQuestion,
  { name, hide }: ServerToolCall,
): ToolQuestion {
  if (url !== undefined && hide.text(url) !== url)
    throw new ToolError(
      `${name} sends the person to an address that contains a secret of its configuration. It was not shown.`,
    )
  const what = { ...(schema && { schema: hide.json(schema) }), ...(url !== undefined && { url }) }
  return { ...kept, message: hide.text(message), ...what }
}

/** Maximum length of an output, in characters: more than any TOOL_OUTPUT_CHARS, which truncates it. */
const MAX_TEXT = 200_000
/** Maximum length of an error, in characters. */
const MAX_FAULT = 2_000
const MAX_SOURCES = 50
const MAX_TITLE = 200

/**
 * Converts a result without the config's secrets. Text stays as it is. Structured content becomes JSON, unless a text
 * block already contains it (that JSON, or its only string). Images, sounds and files are only mentioned. Links become
 * lines, and sources if they lead to a page.
 * @throws ToolError with the server's message if the tool failed
 */
function outputOf(result: CallToolResult, { name, hide }: { name: string; hide: Hide }): ToolOutput {
  const parts = [...result.content.map(blockText), structured(result)]
  const whole = parts.filter((part) => part.trim() !== '').join('\n\n')
  if (result.isError) {
    const fault = hide.head(whole, MAX_FAULT)
    throw new ToolError(fault === '' ? `${name} reports that the call failed, without a reason.` : fault)
  }
  const text = hide.head(whole, MAX_TEXT)
  const sources = hide.json(result.content.flatMap(sourceOf).slice(0, MAX_SOURCES))
  return {
    text: text === '' ? `${name} returned nothing.` : text,
    ...(sources.length > 0 ? { sources } : {}),
    // A part of a table may not pass for all of it.
    ...(whole.length > MAX_TEXT ? { tables: [] } : {}),
  }
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
      return notShown('an image', block.mimeType, block.data)
    case 'audio':
      return notShown('a sound', block.mimeType, block.data)
    case 'resource_link':
      return [`${block.title ?? block.name}: ${block.uri}`, block.description].filter(Boolean).join('\n')
    case 'resource': {
      const { uri, mimeType, ...resource } = block.resource
      return 'text' in resource ? `${uri}\n${resource.text}` : `${uri}\n${notShown('a file', mimeType, resource.blob)}`
    }
    default:
      return ''
  }
}

/** `data` is base64. */
function notShown(what: string, mimeType: string | undefined, data: string): string {
  return `[${[what, mimeType].filter(Boolean).join(', ')}, ${Math.ceil((data.length * 3) / 4000)} kB: not shown]`
}

function structured({ structuredContent, content }: CallToolResult): string {
  if (structuredContent === undefined || structuredContent === null) return ''
  const json = stringifyExact(structuredContent)
  const [only, ...more] = Object.values(structuredContent)
  const onlyText = typeof only === 'string' && more.length === 0 ? only : undefined
  const isInText = content.some(
    (block) => block.type === 'text' && (block.text === onlyText || stringifyExact(parseExact(block.text)) === json),
  )
  return isInText ? '' : json
}

function sourceOf(block: ContentBlock): Source[] {
  const [uri, title] =
    block.type === 'resource_link'
      ? [block.uri, block.title ?? block.name]
      : block.type === 'resource'
        ? [block.resource.uri, undefined]
        : []
  const url = uri !== undefined && URL.canParse(uri) ? new URL(uri) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return []
  return [{ title: (title || url.hostname).slice(0, MAX_TITLE), url: url.href }]
}
