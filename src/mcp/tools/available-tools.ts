/** The tools of all MCP servers at one moment: which are on and under which names, and why the others are off. */
import type { Tool, ToolContext, ParsedInput } from '../../agent/contracts/tool.ts'
import { callAsWhom, isPersonal } from '../login/whose-login.ts'
import type { PersonLogins } from '../login/person-logins.ts'
import type { McpServers } from '../servers/servers.ts'
import type { CallResult, PersonLogin, McpServerConfig } from '../types.ts'
import { mcpNames, ruleNameOf } from './mcp-names.ts'
import type { PersonalCatalogs } from './personal-catalogs.ts'
import { fingerprintOf, versionOf, whyOff, type ServerRecord, type SeenTool } from './tool-pins.ts'
import type { Schema } from './plain-schema.ts'
import { shadowing } from './seen-tools.ts'
import type { ToolCatalog } from './tool-catalog.ts'
import { matchesPattern, matchesRule } from '../../agent/match-tool-rule.ts'
import { checkOf } from './check-schema.ts'

/** A server with more tools is offered as a whole. */
const MAX_CHOICES = 20

/** A tool that is off, or, with an empty `tool`, a server whose tools are unknown. */
export interface OffTool {
  server: string
  tool: string
  /** The end of a sentence that begins with the tool's name. */
  why: string
  /** The current fingerprint; absent if no admin can accept the tool. */
  fingerprint?: string | undefined
}

interface Snapshot {
  /** The tools that are on, by server. */
  tools: Map<string, Tool[]>
  off: OffTool[]
  choices: string[]
}

interface SnapshotDeps {
  /** Names of other tools. */
  taken: readonly string[]
  /** TOOL_TIMEOUT_MS. */
  timeoutMs: number
  /** People's own logins. Absent if nobody has any. */
  logins?: PersonLogins | undefined
  /** Undefined in a process that calls no tools. */
  connections: (() => Promise<McpServers>) | undefined
  /** The catalogs of people's own logins. */
  own: PersonalCatalogs
}

/** A view of the servers' records, rebuilt only if one of them has changed. */
export function snapshots(servers: ToolCatalog[], deps: SnapshotDeps): () => Snapshot {
  let records: (ServerRecord | undefined)[] = []
  let last: Snapshot | undefined
  return () => {
    const current = servers.map(({ record }) => record)
    if (!last || current.some((record, i) => record !== records[i])) last = snapshotOf(servers, deps)
    records = current
    return last
  }
}

export function snapshotOf(servers: ToolCatalog[], deps: SnapshotDeps): Snapshot {
  const others = othersOf(servers, deps.taken)
  const all = servers.flatMap((server) =>
    listedBy(server).map(({ seen, pin }) => {
      const { name, trust } = server.config
      return {
        server,
        seen,
        pin,
        order: pin?.order ?? 0,
        why: whyOff({ seen, pin }, { trust, suspect: shadowing(seen, others.get(name) ?? new Set()) }),
      }
    }),
  )
  // A tool that is off gets no name, so a server's new tool cannot rename a tool that settings refer to.
  const on = inOrder(all.filter(({ why }) => why === undefined))
  const names = mcpNames(
    on.map(({ server, seen }) => ({ server: server.config.name, tool: seen.name })),
    deps.taken,
  )
  const off = all.flatMap(({ server, seen, why }): OffTool[] => {
    const acceptance = seen.broken === undefined ? { fingerprint: fingerprintOf(seen) } : {}
    return why === undefined ? [] : [{ server: server.config.name, tool: seen.name, why, ...acceptance }]
  })
  const snapshot: Snapshot = { tools: new Map(), off, choices: [] }
  for (const [i, { server, seen, pin }] of on.entries())
    addTool(
      snapshot,
      mcpTool(seen, names[i] ?? '', versionOf({ seen, pin }, server.target), server.config, callOf(server, deps)),
    )
  for (const [server, tools] of snapshot.tools) snapshot.choices.push(...choicesOf(server, tools))
  return snapshot
}

/**
 * Sorts by server, and within a server by the time of pinning, so that a later tool cannot take an earlier one's name.
 */
function inOrder<T extends { server: ToolCatalog; order: number }>(tools: T[]): T[] {
  const servers = [...new Set(tools.map(({ server }) => server))]
  return tools.toSorted((a, b) => servers.indexOf(a.server) - servers.indexOf(b.server) || a.order - b.order)
}

function listedBy({ record, config }: ToolCatalog) {
  const entries = Object.values(record?.tools ?? {})
  return entries.flatMap(({ seen, pin }) => (seen && !isRuled(config.deny, seen.name) ? [{ seen, pin }] : []))
}

/** For each server, the names of all tools that are not its own. */
function othersOf(servers: ToolCatalog[], taken: readonly string[]): Map<string, ReadonlySet<string>> {
  const own = servers.map((server) => ({ server, names: listedBy(server).map(({ seen }) => seen.name) }))
  return new Map(
    own.map(({ server, names }) => {
      const otherNames = own.flatMap((other) => (other.server === server ? [] : other.names))
      const others = new Set([...otherNames, ...taken])
      for (const name of names) others.delete(name)
      return [server.config.name, others]
    }),
  )
}

function addTool({ tools }: Snapshot, tool: Tool<Schema>): void {
  const server = tool.server ?? ''
  const known = tools.get(server)
  if (known) known.push(tool)
  else tools.set(server, [tool])
}

function choicesOf(server: string, tools: Tool[]): string[] {
  if (tools.length <= MAX_CHOICES) return tools.map(({ name }) => name)
  return [`${server.replace(/[^a-zA-Z0-9_-]+/g, '_')}__*`]
}

/** Returns the function that calls a tool, after checking that it still has the version that the run was given. */
function callOf(server: ToolCatalog, { connections, timeoutMs, logins, own: catalogs }: SnapshotDeps) {
  const { config } = server
  const { name, timeoutMs: own = timeoutMs } = config
  const callAs = async (
    { tool, args, isRepeatable, isRead, version }: ServerCall,
    { signal, answers }: Pick<ToolContext, 'signal' | 'answers'>,
    as?: PersonLogin,
  ): Promise<CallResult> => {
    const catalog = as ? catalogs.of(config, as) : server
    const recheck = () => catalog.check(tool, { signal, version, isFresh: true })
    await catalog.check(tool, { signal, version, isFresh: !isRead })
    if (!connections) throw new Error('This process calls no tools.')
    const called = (await connections()).of(name, as)
    return called.call(tool, args, { signal, timeoutMs: own, answers, isRepeatable, recheck })
  }
  return (call: ServerCall, context: ToolContext): Promise<CallResult> => {
    const made = (answers: NonNullable<ToolContext['answers']>, as?: PersonLogin) =>
      callAs(call, { signal: context.signal, answers }, as)
    return callAsWhom({ server: config, logins, title: call.title, call: made }, context)
  }
}

/** A call by the server's own name for the tool. `isRepeatable`: a second call has no further effect. */
interface ServerCall {
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

/**
 * Returns a server's tool. `name` is the one by which models call it. A tool that MCP_CONFIG does not allow asks a
 * person each time, unless a trusted server says that it only reads; `ask` always asks. An untrusted server's
 * statements are ignored: its tools may change something.
 */
function mcpTool(
  seen: SeenTool,
  name: string,
  version: string,
  config: McpServerConfig,
  call: (call: ServerCall, context: ToolContext) => Promise<CallResult>,
): Tool<Schema> {
  const { allow, ask, trust } = config
  const { readOnly, idempotent } = trust ? seen.hints : UNTRUSTED
  const isAllowed = allow?.some((pattern) => matchesPattern(seen.name, pattern)) ?? false
  const mayRun = !isRuled(ask, seen.name) && (isAllowed || readOnly)
  // On one line, so that no part of it can imitate a line of the prompt.
  const description = seen.description.replace(/\s+/g, ' ') || `The tool ${seen.name} of the server ${config.name}.`
  let check: ((value: unknown) => ParsedInput<Schema>) | undefined
  return {
    name,
    title: seen.title,
    description,
    parameters: seen.parameters,
    parse: (value) => (check ??= checkOf(seen.parameters))(value),
    effects: readOnly ? 'read' : 'write',
    needsApproval: !mayRun || undefined,
    idempotent: idempotent || undefined,
    server: config.name,
    asAsker: isPersonal(config) || undefined,
    ruleName: ruleNameOf({ server: config.name, tool: seen.name }),
    version,
    timeoutMs: config.timeoutMs,
    run(args, context) {
      const { name: tool, title = tool } = seen
      return call({ tool, args, title, isRepeatable: readOnly || idempotent, isRead: readOnly, version }, context)
    },
  }
}

const UNTRUSTED: SeenTool['hints'] = { readOnly: false, idempotent: false }

/** Returns whether a list of restricting rules matches a tool by its own name. */
function isRuled(rules: readonly string[] | undefined, name: string): boolean {
  return rules?.some((rule) => matchesRule(name, rule)) ?? false
}
