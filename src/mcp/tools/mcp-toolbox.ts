/** The tools of all MCP servers, as available at the time and place of a question. */
import { settledWithin } from '../../base/async.ts'
import { toolTitle } from '../../agent/tool-title.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import type { Log } from '../../base/log.ts'
import { ToolCatalog } from './tool-catalog.ts'
import { fingerprintOf, type SeenTool } from './tool-pins.ts'
import type { SettingsPlace } from '../../stores/settings/settings.ts'
import type { ValueStore } from '../../stores/values/value-store.ts'
import { snapshotOf, snapshots, type OffTool } from './available-tools.ts'
import { ruleWarning } from './unmatched-rules.ts'
import type { ApproverList } from '../../base/settings/approver-rules.ts'
import type { McpServers } from '../servers/servers.ts'
import type { PersonLogins } from '../login/person-logins.ts'
import type { Person } from '../../base/place.ts'
import { personalCatalogs } from './personal-catalogs.ts'
import type { McpConfig, McpServerConfig, PersonLogin } from '../types.ts'
import { isPersonal } from '../login/whose-login.ts'
import { ToolError } from '../../base/errors.ts'
import { stringifyExact } from '../../base/parse-json.ts'
import { briefOf } from './clean-text.ts'

export interface McpToolbox {
  /**
   * Returns the tools for a run in a place, filtered by `choose`. If there are many, each has one line in the prompt.
   */
  toolsFor(place: SettingsPlace, choose?: (tools: Tool[]) => Tool[]): Promise<Tool[]>
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
  store: ValueStore
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
  maxTools: number
  /** TOOL_TIMEOUT_MS. */
  timeoutMs: number
}

/** How long startup waits for the stored records, in ms. */
const LOAD_MS = 2_000

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
  const warn = ruleWarning(deps.log, deps.approvers, deps.taken)
  const warnOfRules = () => warn(servers.map(({ config, names }) => ({ config, tools: names })))
  const load = async () => void (await Promise.all(servers.map((server) => server.load())))
  await settledWithin(LOAD_MS, [load()])
  if (open) for (const server of servers) if (server.config.kind === 'http') void server.ready(false)
  const parts = { ...deps, connections, own }
  const now = snapshots(servers, parts)
  /** The servers as they are for one person. */
  const serversFor = async (asker: SettingsPlace) =>
    Promise.all(
      servers.map(async (server) => {
        const personalCatalog = await own.find(server.config, asker)
        if (isHere(server.config, asker.channel)) await (personalCatalog ?? server).ready(asker.waits === true)
        return personalCatalog?.record ? personalCatalog : server
      }),
    )
  const snapshotFor = async (asker: SettingsPlace) => {
    const theirs = await serversFor(asker)
    return theirs.every((one) => servers.includes(one)) ? now() : snapshotOf(theirs, parts)
  }
  return {
    async toolsFor(place, choose = (tools) => tools) {
      const here = servers.filter((server) => isHere(server.config, place.channel))
      const { tools } = await snapshotFor(place)
      return withBriefs(choose(here.flatMap(({ config: { name } }) => tools.get(name) ?? [])), deps.maxTools)
    },
    choices: () => now().choices,
    async titles(server, person) {
      await load()
      const { tools } = await snapshotFor({ ...person, channel: 'D' })
      return (tools.get(server) ?? []).map(toolTitle)
    },
    refresh: async (name) => servers.find((one) => one.config.name === name)?.refresh(),
    off: () => [...now().off, ...unlistedServers(servers)],
    load,
    async accept(name, tool, fingerprint) {
      const server = servers.find((one) => one.config.name === name)
      const matches = (seen: SeenTool) =>
        (tool === undefined || seen.name === tool) && (fingerprint ?? fingerprintOf(seen)) === fingerprintOf(seen)
      return (await server?.accept(matches)) ?? []
    },
    async close() {
      for (const server of servers) server.close()
      await (await opened)?.close()
    },
  }
}

function isHere({ channels }: McpServerConfig, channel: string): boolean {
  return channels?.includes(channel.startsWith('D') ? 'dm' : channel) ?? true
}

/** A server with people's logins may list its tools only after a login, which is no failure. */
function unlistedServers(servers: ToolCatalog[]): OffTool[] {
  return servers.flatMap(({ config, failure }) =>
    failure === undefined || isPersonal(config) ? [] : [{ server: config.name, tool: '', why: failure }],
  )
}

const TOOL_DETAILS = 'tool_details'

/**
 * Returns the tools of a run. If there are more than `max` of servers, each has one line, and `tool_details` is added.
 */
function withBriefs(tools: Tool[], max: number): Tool[] {
  if (tools.filter(({ server }) => server !== undefined).length <= max) return tools
  const brief = tools.map((tool) => (tool.server === undefined ? tool : { ...tool, brief: briefOf(tool.description) }))
  return [...brief, toolDetails(tools)]
}

function toolDetails(tools: Tool[]): Tool<{ tool: string }> {
  return {
    name: TOOL_DETAILS,
    description:
      'Describes a tool of which the list has only one line: what it does, and its input. Use it before you use such a tool.',
    effects: 'read',
    parameters: {
      type: 'object',
      properties: { tool: { type: 'string', description: 'the name of a tool' } },
      required: ['tool'],
    },
    parse(value) {
      const named = typeof value === 'object' && value !== null && 'tool' in value ? value.tool : undefined
      if (typeof named === 'string' && named.trim() !== '') return { ok: true, value: { tool: named.trim() } }
      return { ok: false, issues: [{ path: ['tool'], message: 'should be the name of a tool', expected: 'string' }] }
    },
    async run({ tool: named }) {
      const tool =
        tools.find(({ name }) => name === named) ?? tools.find(({ name }) => name.toLowerCase() === named.toLowerCase())
      if (!tool) throw new ToolError(`There is no tool "${named.slice(0, 100)}". Use the exact name from the list.`)
      // The schema comes first, because a long observation is cut at the end.
      return `${tool.name} takes a JSON object by this JSON Schema: ${stringifyExact(tool.parameters)}\n${tool.description}`
    },
  }
}
