/** The tools of all MCP servers, as available at the time and place of a question. */
import { settledWithin } from '../../base/async.ts'
import { toolTitle } from '../../agent/tool-title.ts'
import type { Tool, ToolContext } from '../../agent/contracts/tool.ts'
import type { Log } from '../../base/log.ts'
import { ToolCatalog } from './tool-catalog.ts'
import { mcpNames } from './mcp-names.ts'
import { isRuled, mcpTool, type ServerCall } from './mcp-tools.ts'
import { fingerprintOf, versionOf, whyOff, type SeenTool, type ServerRecord } from './pins.ts'
import type { Schema } from './plain-schema.ts'
import type { McpStore } from '../../stores/mcp/mcp-store.ts'
import { shadowing } from './seen-tools.ts'
import { withBriefs } from './tool-details.ts'
import { RULE_UNMATCHED, unmatchedRules } from './unmatched-rules.ts'
import type { ApproverList } from '../../base/approver-rules.ts'
import type { McpServers } from '../servers/servers.ts'
import { callAsAsker } from '../login/call-as-asker.ts'
import type { PersonLogins } from '../login/person-logins.ts'
import type { Person } from '../../base/place.ts'
import { personalCatalogs, type PersonalCatalogs } from './personal-catalogs.ts'
import { isPersonal, type CallResult, type McpConfig, type McpServerConfig, type PersonLogin } from '../types.ts'

/** Where a question is asked, and by whom. `waits`: waits a few seconds for servers whose tools are not known yet. */
export interface ToolsPlace {
  team: string
  channel: string
  user?: string | undefined
  waits?: boolean | undefined
}

/** A tool that is off, or, with an empty `tool`, a server whose tools are unknown. */
export interface OffTool {
  server: string
  tool: string
  /** The end of a sentence that begins with the tool's name. */
  why: string
  /** The current fingerprint; absent if no admin can accept the tool. */
  fingerprint?: string | undefined
}

export interface McpToolbox {
  /**
   * Returns the tools for a run in a place, filtered by `choose`. If there are many, each has one line in the prompt.
   */
  toolsFor(place: ToolsPlace, choose?: (tools: Tool[]) => Tool[]): Promise<Tool[]>
  /** Names that a channel can choose: of single tools, or `server__*` for all tools of a server that has many. */
  choices(): string[]
  /** Returns the titles of a server's tools that are on, as they are known for a person. */
  titles(server: string, person: Person): Promise<string[]>
  off(): OffTool[]
  /** Loads the stored records that all processes share. */
  load(): Promise<void>
  /** Lists a server's tools now. On failure, `off` says why there are none. */
  refresh(server: string): Promise<void>
  /**
   * Accepts a server's tool, or all of its tools, as listed now. With a fingerprint, only if it still matches.
   * @returns the names of the accepted tools
   */
  accept(server: string, tool?: string, fingerprint?: string): Promise<string[]>
  close(): Promise<void>
}

export interface McpToolboxDeps {
  store: McpStore
  log: Log
  /** Milliseconds. */
  now(): number
  /** Opens the connections on first use; undefined in a process that calls no tools. */
  open?: (() => Promise<McpServers>) | undefined
  /** People's own logins. Absent if nobody has any. */
  logins?: PersonLogins | undefined
  /** Names of other tools. */
  taken: readonly string[]
  /** From APPROVERS. */
  approvers: readonly ApproverList[]
  /** MCP_TOOLS_MAX. */
  mostTools: number
  /** TOOL_TIMEOUT_MS. */
  timeoutMs: number
}

/** How long startup waits for the stored records, in ms. */
const LOAD_MS = 2_000
/** A server with more tools is offered as a whole. */
const MAX_CHOICES = 20

/** Lists the tools of HTTP servers in the background. Stdio servers are started when first needed. */
export async function openMcpToolbox(config: McpConfig, deps: McpToolboxDeps): Promise<McpToolbox> {
  let opened: Promise<McpServers> | undefined
  const { open } = deps
  const connections = open && (() => (opened ??= open()))
  const catalogOf = (one: McpServerConfig, as?: PersonLogin) => {
    const server = connections && (async () => (await connections()).of(one.name, as))
    const store = (as && deps.logins?.storeOf(as.person)) ?? deps.store
    return new ToolCatalog(one, { ...deps, store, server, as, ...(as ? {} : { onListed: () => warnOfRules() }) })
  }
  const servers = config.servers.map((one) => catalogOf(one))
  const own = personalCatalogs(catalogOf, deps.logins)
  const warnOfRules = ruleWarning(servers, deps)
  const load = async () => void (await Promise.all(servers.map((server) => server.load())))
  await settledWithin(LOAD_MS, [load()])
  if (open) for (const server of servers) if (server.config.kind === 'http') void server.ready(false)
  const parts = { ...deps, connections, own }
  const now = snapshots(servers, parts)
  /** The servers as they are for one person. */
  const serversFor = async (asker: ToolsPlace) =>
    Promise.all(
      servers.map(async (server) => {
        const theirs = await own.find(server.config, asker)
        if (isHere(server.config, asker.channel)) await (theirs ?? server).ready(asker.waits === true)
        return theirs?.record ? theirs : server
      }),
    )
  const snapshotFor = async (asker: ToolsPlace) => {
    const theirs = await serversFor(asker)
    return theirs.every((one) => servers.includes(one)) ? now() : snapshotOf(theirs, parts)
  }
  return {
    async toolsFor(place, choose = (tools) => tools) {
      const here = servers.filter((server) => isHere(server.config, place.channel))
      const { tools } = await snapshotFor(place)
      return withBriefs(choose(here.flatMap(({ config: { name } }) => tools.get(name) ?? [])), deps.mostTools)
    },
    choices: () => now().choices,
    async titles(server, person) {
      await load()
      const { tools } = await snapshotFor({ ...person, channel: 'D' })
      return (tools.get(server) ?? []).map(toolTitle)
    },
    refresh: async (name) => servers.find((one) => one.config.name === name)?.refresh(),
    off: () => [...now().off, ...unknown(servers)],
    load,
    async accept(name, tool, fingerprint) {
      const server = servers.find((one) => one.config.name === name)
      const isMeant = (seen: SeenTool) =>
        (tool === undefined || seen.name === tool) && (fingerprint ?? fingerprintOf(seen)) === fingerprintOf(seen)
      return (await server?.accept(isMeant)) ?? []
    },
    async close() {
      for (const server of servers) server.close()
      await (await opened)?.close()
    },
  }
}

/** Names in the log, once each, the rules that match no tool. */
function ruleWarning(servers: ToolCatalog[], { approvers, taken, log }: McpToolboxDeps): () => void {
  const told = new Set<string>()
  return () => {
    const listed = servers.map(({ config, names }) => ({ config, tools: names }))
    for (const { setting, rule } of unmatchedRules(listed, { approvers, own: taken })) {
      if (!told.has(`${setting} ${rule}`)) log.warn({ setting, rule }, RULE_UNMATCHED)
      told.add(`${setting} ${rule}`)
    }
  }
}

function isHere({ channels }: McpServerConfig, channel: string): boolean {
  return channels?.includes(channel.startsWith('D') ? 'dm' : channel) ?? true
}

/** A server that people log in to may list its tools to them alone, which is no failure. */
function unknown(servers: ToolCatalog[]): OffTool[] {
  return servers.flatMap(({ config, failure }) =>
    failure === undefined || isPersonal(config) ? [] : [{ server: config.name, tool: '', why: failure }],
  )
}

interface Snapshot {
  /** The tools that are on, by server. */
  tools: Map<string, Tool[]>
  off: OffTool[]
  choices: string[]
}

interface SnapshotDeps extends McpToolboxDeps {
  connections: (() => Promise<McpServers>) | undefined
  own: PersonalCatalogs
}

/** A view of the servers' records, rebuilt only if one of them has changed. */
function snapshots(servers: ToolCatalog[], deps: SnapshotDeps): () => Snapshot {
  let records: (ServerRecord | undefined)[] = []
  let last: Snapshot | undefined
  return () => {
    const current = servers.map(({ record }) => record)
    if (!last || current.some((record, i) => record !== records[i])) last = snapshotOf(servers, deps)
    records = current
    return last
  }
}

function snapshotOf(servers: ToolCatalog[], deps: SnapshotDeps): Snapshot {
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
    const taking = seen.broken === undefined ? { fingerprint: fingerprintOf(seen) } : {}
    return why === undefined ? [] : [{ server: server.config.name, tool: seen.name, why, ...taking }]
  })
  const snapshot: Snapshot = { tools: new Map(), off, choices: [] }
  for (const [i, { server, seen, pin }] of on.entries())
    addTool(
      snapshot,
      mcpTool(seen, {
        name: names[i] ?? '',
        version: versionOf({ seen, pin }, server.target),
        config: server.config,
        call: callOf(server, deps),
      }),
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
      const theirs = own.flatMap((other) => (other.server === server ? [] : other.names))
      const others = new Set([...theirs, ...taken])
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

/** Before the call, the tool is checked against the version that the run was given. */
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
    if (!isPersonal(config)) return callAs(call, context)
    const asAsker = (as: PersonLogin, answers: ToolContext['answers'] & object) =>
      callAs(call, { signal: context.signal, answers }, as)
    return callAsAsker({ server: config, logins, title: call.title, call: asAsker }, context)
  }
}
