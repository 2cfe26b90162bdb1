/** The tools of one MCP server as tools of the agent. Nothing that a server says of them is believed further than MCP_CONFIG says. */
import type { ParsedInput, Tool, ToolContext } from '../agent/types.ts'
import { checkOf } from './check-schema.ts'
import { cleanText, namesOther, type Fault } from './hygiene.ts'
import type { SeenTool } from './pins.ts'
import { plainSchema, type Schema } from './plain-schema.ts'
import type { CallResult, McpServerConfig, ServerTool } from './types.ts'

const DESCRIPTION_CHARS = 3_000
const BRIEF_CHARS = 100
const NAME_CHARS = 200

/** What was taken out of what a tool says of itself. */
export interface Cleaning {
  tool: string
  faults: Fault[]
}

/** What a server has listed, cleaned and bounded; of two tools of one name the last. */
export function seenTools(listed: readonly ServerTool[]): { seen: SeenTool[]; cleanings: Cleaning[] } {
  const cleaned = [...new Map(listed.map((tool) => [tool.name, tool])).values()].map(cleanTool)
  const cleanings = cleaned.map(({ seen: { name: tool }, faults }) => ({ tool, faults }))
  return { seen: cleaned.map(({ seen }) => seen), cleanings: cleanings.filter(({ faults }) => faults.length > 0) }
}

function cleanTool(tool: ServerTool): { seen: SeenTool; faults: Fault[] } {
  const { name, description, title, annotations } = tool
  const said = cleanText(description || title || '', DESCRIPTION_CHARS)
  const named = cleanText(name, NAME_CHARS)
  const plain = plainSchema(tool.inputSchema)
  const faults = [...new Set([...said.faults, ...named.faults, ...(plain.ok ? plain.faults : [])])]
  const hints = { readOnly: annotations.readOnlyHint === true, idempotent: annotations.idempotentHint === true }
  const broken =
    named.text !== name ? 'its name has characters that names do not have' : plain.ok ? undefined : plain.why
  return {
    faults,
    seen: {
      // A name that is none is shown and kept, but never called.
      name: named.text === name ? name : `${named.text}?`,
      description: said.text,
      parameters: plain.ok ? plain.schema : { type: 'object', properties: {} },
      hints,
      ...(faults.includes('hidden') ? { suspect: 'holds characters that people do not see' } : {}),
      ...(broken === undefined ? {} : { broken }),
    },
  }
}

/** Why a tool is suspect beside the tools of others: its words speak of one of theirs. */
export function shadowing({ description, parameters }: SeenTool, others: ReadonlySet<string>): string | undefined {
  const other = namesOther([description, ...textsIn(parameters)].join('\n'), others)
  return other === undefined ? undefined : `speaks of "${other}", a tool of another server`
}

function* textsIn(value: unknown, key = ''): Generator<string> {
  if (typeof value === 'string' && key !== 'pattern' && key !== '$ref') yield value
  if (typeof value !== 'object' || value === null) return
  for (const [name, one] of Object.entries(value)) yield* textsIn(one, name)
}

/** A call by the server's own name for the tool. `isRepeatable`: made twice, it does no more than once. */
export interface ServerCall {
  tool: string
  args: Schema
  isRepeatable: boolean
}

export interface ToolOptions {
  /** What models call it by. */
  name: string
  config: McpServerConfig
  call(call: ServerCall, context: ToolContext): Promise<CallResult>
}

/**
 * A tool of a server. What is not allowed by MCP_CONFIG asks a person each time, but for tools that a trusted server says only read;
 * `ask` asks whatever else is said. What a server that is not trusted says counts for nothing: its tools may change the world.
 */
export function mcpTool(seen: SeenTool, { name, config, call }: ToolOptions): Tool<Schema> {
  const { allow, ask, trust } = config
  const { readOnly, idempotent } = trust ? seen.hints : UNTRUSTED
  const mayRun = !isNamed(ask, seen.name) && (isNamed(allow, seen.name) || readOnly)
  // On one line: nothing in it begins a line of the prompt.
  const description = seen.description.replace(/\s+/g, ' ') || `The tool ${seen.name} of the server ${config.name}.`
  let check: ((value: unknown) => ParsedInput<Schema>) | undefined
  return {
    name,
    description,
    parameters: seen.parameters,
    parse: (value) => (check ??= checkOf(seen.parameters))(value),
    effects: readOnly ? 'read' : 'write',
    ...(mayRun ? {} : { needsApproval: true }),
    ...(idempotent ? { idempotent } : {}),
    server: config.name,
    ...(config.timeoutMs === undefined ? {} : { timeoutMs: config.timeoutMs }),
    run: (args, context) => call({ tool: seen.name, args, isRepeatable: readOnly || idempotent }, context),
  }
}

const UNTRUSTED: SeenTool['hints'] = { readOnly: false, idempotent: false }

/** Whether a list of names, perhaps with `*` at the end, has a tool's own name. */
export function isNamed(patterns: readonly string[] | undefined, name: string): boolean {
  const fits = (pattern: string) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name)
  return patterns?.some(fits) ?? false
}

/** The first sentence of a description, or as much of it as stands in a line. */
export function briefOf(description: string): string {
  const line = description.replace(/\s+/g, ' ').trim()
  const first = /^.{10,}?[.!?](?=\s|$)/u.exec(line.slice(0, 2 * BRIEF_CHARS))?.[0] ?? line
  return first.length <= BRIEF_CHARS ? first : `${first.slice(0, BRIEF_CHARS).replace(/[\ud800-\udbff]$/, '')}…`
}
