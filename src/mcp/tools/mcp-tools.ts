/** The tools of one MCP server as tools of the agent. Nothing that a server says of them is believed further than MCP_CONFIG says. */
import { matchesPattern, matchesRule } from '../../agent/tool-pattern.ts'
import type { ParsedInput, Tool, ToolContext } from '../../agent/types.ts'
import { checkOf } from './check-schema.ts'
import { cut } from './hygiene.ts'
import { ruleNameOf } from './mcp-names.ts'
import type { SeenTool } from './pins.ts'
import type { Schema } from './plain-schema.ts'
import type { CallResult, McpServerConfig } from '../types.ts'

const BRIEF_CHARS = 100

/** A call by the server's own name for the tool. `isRepeatable`: made twice, it does no more than once. */
export interface ServerCall {
  tool: string
  args: Schema
  isRepeatable: boolean
  /** It only reads, as its server says, which is trusted. */
  isRead: boolean
  /** What the model and people were shown (`Tool.version`). */
  version: string
}

export interface ToolOptions {
  /** What models call it by. */
  name: string
  version: string
  config: McpServerConfig
  call(call: ServerCall, context: ToolContext): Promise<CallResult>
}

/**
 * A tool of a server. What is not allowed by MCP_CONFIG asks a person each time, but for tools that a trusted server says only read;
 * `ask` asks whatever else is said. What a server that is not trusted says counts for nothing: its tools may change the world.
 */
export function mcpTool(seen: SeenTool, { name, version, config, call }: ToolOptions): Tool<Schema> {
  const { allow, ask, trust } = config
  const { readOnly, idempotent } = trust ? seen.hints : UNTRUSTED
  const isAllowed = allow?.some((pattern) => matchesPattern(seen.name, pattern)) ?? false
  const mayRun = !isRuled(ask, seen.name) && (isAllowed || readOnly)
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
    ruleName: ruleNameOf({ server: config.name, tool: seen.name }),
    version,
    ...(config.timeoutMs === undefined ? {} : { timeoutMs: config.timeoutMs }),
    run: (args, context) =>
      call({ tool: seen.name, args, isRepeatable: readOnly || idempotent, isRead: readOnly, version }, context),
  }
}

const UNTRUSTED: SeenTool['hints'] = { readOnly: false, idempotent: false }

/** Whether a list of rules that restrict means a tool by its own name. */
export function isRuled(rules: readonly string[] | undefined, name: string): boolean {
  return rules?.some((rule) => matchesRule(name, rule)) ?? false
}

/** The first sentence of a description, or as much of it as stands in a line. */
export function briefOf(description: string): string {
  const line = description.replace(/\s+/g, ' ').trim()
  const first = /^.{10,}?[.!?](?=\s|$)/u.exec(line.slice(0, 2 * BRIEF_CHARS))?.[0] ?? line
  return cut(first, BRIEF_CHARS)
}
