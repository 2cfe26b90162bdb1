/** Turns the result of a call into an observation: text for the model, and source pages. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { Source, ToolOutput } from '../../agent/contracts/tool.ts'
import { ToolError } from '../../base/errors.ts'
import type { Hide } from './hide-secrets.ts'

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
export function outputOf(result: CallToolResult, { name, hide }: { name: string; hide: Hide }): ToolOutput {
  const parts = [...result.content.map(textOf), structured(result)]
  const whole = parts.filter((part) => part.trim() !== '').join('\n\n')
  if (result.isError) {
    const fault = hide.head(whole, MAX_FAULT)
    throw new ToolError(fault === '' ? `${name} reports that the call failed, without a reason.` : fault)
  }
  const text = hide.head(whole, MAX_TEXT)
  const sources = hide.json(result.content.flatMap(sourceOf).slice(0, MAX_SOURCES))
  return { text: text === '' ? `${name} returned nothing.` : text, ...(sources.length > 0 ? { sources } : {}) }
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
      return left('an image', block.mimeType, block.data)
    case 'audio':
      return left('a sound', block.mimeType, block.data)
    case 'resource_link':
      return [`${block.title ?? block.name}: ${block.uri}`, block.description].filter(Boolean).join('\n')
    case 'resource': {
      const { uri, mimeType, ...resource } = block.resource
      return 'text' in resource ? `${uri}\n${resource.text}` : `${uri}\n${left('a file', mimeType, resource.blob)}`
    }
    default:
      return ''
  }
}

/** `data` is base64. */
function left(what: string, mimeType: string | undefined, data: string): string {
  return `[${[what, mimeType].filter(Boolean).join(', ')}, ${Math.ceil((data.length * 3) / 4000)} kB: not shown]`
}

function structured({ structuredContent, content }: CallToolResult): string {
  if (structuredContent === undefined || structuredContent === null) return ''
  const json = JSON.stringify(structuredContent)
  const [only, ...more] = Object.values(structuredContent)
  const words = typeof only === 'string' && more.length === 0 ? only : undefined
  const isSaid = content.some(
    (block) => block.type === 'text' && (block.text === words || compact(block.text) === json),
  )
  return isSaid ? '' : json
}

function compact(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return undefined
  }
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
