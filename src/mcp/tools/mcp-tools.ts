/**
 * Converts the tools of one MCP server to tools of the agent. A server's statements are believed only as far as
 * MCP_CONFIG allows.
 */
import { matchesPattern, matchesRule } from '../../agent/tool-pattern.ts'
import type { ParsedInput, Tool, ToolContext } from '../../agent/contracts/tool.ts'
import { checkOf } from './check-schema.ts'
import { ruleNameOf } from './mcp-names.ts'
import type { SeenTool } from './pins.ts'
import type { Schema } from './plain-schema.ts'
import { isPersonal, type CallResult, type McpServerConfig } from '../types.ts'

/** A call by the server's own name for the tool. `isRepeatable`: a second call has no further effect. */
export interface ServerCall {
  tool: string
  args: Schema
  /** The tool's name for people. */
  title: string
  isRepeatable: boolean
  /** It only reads, according to a trusted server. */
  isRead: boolean
  /** The version that the model and people were shown (`Tool.version`). */
  version: string
}

interface ToolOptions {
  /** The name by which models call it. */
  name: string
  version: string
  config: McpServerConfig
  call(call: ServerCall, context: ToolContext): Promise<CallResult>
}

/**
 * Returns a server's tool. A tool that MCP_CONFIG does not allow asks a person each time, unless a trusted server says
 * that it only reads; `ask` always asks. An untrusted server's statements are ignored: its tools may change something.
 */
export function mcpTool(seen: SeenTool, { name, version, config, call }: ToolOptions): Tool<Schema> {
  const { allow, ask, trust } = config
  const { readOnly, idempotent } = trust ? seen.hints : UNTRUSTED
  const isAllowed = allow?.some((pattern) => matchesPattern(seen.name, pattern)) ?? false
  const mayRun = !isRuled(ask, seen.name) && (isAllowed || readOnly)
  // On one line, so that no part of it begins a line of the prompt.
  const description = seen.description.replace(/\s+/g, ' ') || `The tool ${seen.name} of the server ${config.name}.`
  let check: ((value: unknown) => ParsedInput<Schema>) | undefined
  return {
    name,
    ...(seen.title === undefined ? {} : { title: seen.title }),
    description,
    parameters: seen.parameters,
    parse: (value) => (check ??= checkOf(seen.parameters))(value),
    effects: readOnly ? 'read' : 'write',
    ...(mayRun ? {} : { needsApproval: true }),
    ...(idempotent ? { idempotent } : {}),
    server: config.name,
    ...(isPersonal(config) ? { asAsker: true as const } : {}),
    ruleName: ruleNameOf({ server: config.name, tool: seen.name }),
    version,
    ...(config.timeoutMs === undefined ? {} : { timeoutMs: config.timeoutMs }),
    run: (args, context) =>
      call(
        {
          tool: seen.name,
          args,
          title: seen.title ?? seen.name,
          isRepeatable: readOnly || idempotent,
          isRead: readOnly,
          version,
        },
        context,
      ),
  }
}

const UNTRUSTED: SeenTool['hints'] = { readOnly: false, idempotent: false }

/** Returns whether a list of restricting rules matches a tool by its own name. */
export function isRuled(rules: readonly string[] | undefined, name: string): boolean {
  return rules?.some((rule) => matchesRule(name, rule)) ?? false
}
