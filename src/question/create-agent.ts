import { randomInt } from 'node:crypto'
import type { AgentSetup, AgentDeps } from '../agent/run-state.ts'
import { DIALECTS, type DialectName } from '../agent/dialects/index.ts'
import { withInstructions } from '../agent/dialects/instructions.ts'
import type { Dialect, Model, Tool } from '../agent/types.ts'
import type { AnsweringAgent } from './answer.ts'
import { DIALECTS as DIALECT_NAMES, readEnv, type Config } from '../config.ts'
import { ConfigError } from '../base/errors.ts'
import type { ProxySetting } from '../base/http/agents.ts'
import { createToolHttp } from '../base/http/tool-http.ts'
import type { Log } from '../base/log.ts'
import type { McpToolbox, ToolsPlace } from '../mcp/tools/mcp-toolbox.ts'
import { RULE_UNMATCHED, unmatchedRules } from '../mcp/tools/unmatched-rules.ts'
import type { ChosenAgent } from '../stores/settings/settings.ts'
import type { McpStore } from '../stores/mcp/mcp-store.ts'
import type { McpConfig } from '../mcp/types.ts'
import { probeNativeCalls } from '../model/native-probe.ts'
import { createModels, type ModelMeter, type Models } from '../model/index.ts'
import type { Network } from '../base/http/proxy.ts'
import { loadPrompts, type Prompts } from '../base/prompts.ts'
import { openToolbox, type LeftOut, type Toolbox } from '../toolbox/toolbox.ts'

/** Everything that answering takes, apart from the history: what the bot, the terminal and the evaluation share. */
export interface AgentParts {
  answer: AnsweringAgent
  /** Another dialect over the same tools. @throws ConfigError where they do not do for it. */
  dialect(name: DialectName): Dialect
  /** What a place may choose from, by name. */
  choices: AgentChoices
  /**
   * The model, the dialect and the tools for what a place has chosen, those of MCP servers as they are at this moment. What is not
   * to be had is as the operator set it.
   */
  agentFor: (chosen: ChosenAgent, place: ToolsPlace) => Promise<AgentSetup>
  /** Where MCP_CONFIG is set, and a store for it is there. */
  mcp: McpToolbox | undefined
  /** MCP_CONFIG as it was read. */
  mcpConfig: McpConfig | undefined
  close(): Promise<void>
}

export interface AgentChoices {
  /** Those that can be offered; others may be named too, where `isModel` says so. */
  models: string[]
  isModel(name: string): boolean
  /** Models that the endpoint lists; empty until it has told. */
  listed: string[]
  dialects: DialectName[]
  tools: string[]
  /** The tools that are off or broken, each with the reason. */
  toolsOff: Toolbox['off']
}

export interface AgentSources {
  log: Log
  net: Network
  /** The clock; the system's unless given. */
  now?: (() => Date) | undefined
  /** In place of the configured one. */
  model?: Model | undefined
  meter?: ModelMeter | undefined
  /** Told of each custom tool that is left out, in place of the log. */
  leftOut?: ((one: LeftOut) => void) | undefined
  /** Where what MCP servers tell of their tools is kept. Without it there are none of theirs, as in an evaluation. */
  mcpStore?: McpStore | undefined
  /** Whether questions come from a Slack workspace, whose tools are there then. */
  hasWorkspace?: boolean
  toolSeam?: ToolSeam | undefined
  /** Wraps a tool for the call of one step; see AgentDeps. */
  watchCall?: AgentDeps['watchCall']
  /** In place of the files of `prompts/`; for trying others. */
  prompts?: Prompts | undefined
}

/** What stands between the agent and its tools: the playground reads along there, or plays what was recorded. */
export interface ToolSeam {
  /** Takes a tool's place. */
  wrap(tool: Tool): Tool
  /** Tools besides those that are there, by their names. */
  more?(known: string[]): Tool[]
}

/** @throws ConfigError for a prompt that is broken, a tool that does not exist or a dialect that lacks its tools. */
export async function createAgent(config: Config, sources: AgentSources): Promise<AgentParts> {
  const prompts = sources.prompts ?? loadPrompts()
  const proxy = config.HTTPS_PROXY ? { uri: config.HTTPS_PROXY, ...noProxy(config) } : undefined
  const http = createToolHttp({ proxy, timeoutMs: config.TOOL_TIMEOUT_MS })
  const given = sources.model && (sources.meter?.model(sources.model) ?? sources.model)
  const models = given ? onlyModel(given) : createModels({ config, ...sources })
  const { toolSeam } = sources
  const toolbox = throughSeam(await openToolbox(config, { ...sources, http, prompts }), toolSeam)
  const dialect = (name: DialectName) => dialectOf(name, prompts, toolbox)
  const name = given ? givenDialect(config) : await dialectName(config, models.model, sources.log)
  const world = {
    fetch: http.scope({ name: 'The tool', cacheMs: 0 }),
    now: sources.now ?? (() => new Date()),
    newNonce,
  }
  const { model, condenseModel } = models
  const opened = await mcpOf(config, { ...sources, proxy, taken: toolbox.tools.map(({ name }) => name) })
  const mcp = opened?.toolbox
  const parts = { dialect, prompts, mcp, toolSeam, warnOfGone: warnOnce(sources.log) }
  const agent = {
    ...{ model, dialect: dialect(name), tools: toolbox.tools },
    ...{ limits: limitsOf(config), ...world, ...(sources.watchCall ? { watchCall: sources.watchCall } : {}) },
  }
  return {
    answer: { agent, prompts, condenseModel },
    dialect,
    choices: choicesOf(models, toolbox, mcp),
    agentFor: (chosen, place) => agentFor(chosen, place, { ...models, ...toolbox, ...parts, name }),
    mcp,
    mcpConfig: opened?.config,
    close: async () => void (await Promise.all([http.close(), mcp?.close()])),
  }
}

/** For a part that asks no model, such as a command that only looks at the tools: what it can do is not asked either. */
export function withoutAuto(config: Config): Config {
  return { ...config, AGENT_DIALECT: givenDialect(config) }
}

/** A model that is given in place of the configured one, such as the demo, is not asked what it can do. */
function givenDialect({ AGENT_DIALECT: name }: Config): DialectName {
  return name === 'auto' ? 'text' : name
}

/** How long the start waits, for AGENT_DIALECT=auto, to hear what the model can do. Milliseconds. */
const PROBE_MS = 15_000

/** For `auto`: native calls where the model's come back usable, else the text dialect. A front without a model's access asks none. */
async function dialectName(config: Config, model: Model, log: Log): Promise<DialectName> {
  const { AGENT_DIALECT: set, OPENAI_API_KEY: key, OPENAI_BASE_URL: address } = config
  if (set !== 'auto' || (key ?? address) === undefined) return givenDialect(config)
  const found = await probeNativeCalls(model, PROBE_MS)
  const dialect = found.usable ? 'native' : 'text'
  const why = found.usable ? 'Its own tool calls come back usable.' : found.why
  const say = !found.usable && found.isDown ? log.warn.bind(log) : log.info.bind(log)
  say({ model: model.name, dialect, why }, 'AGENT_DIALECT=auto has chosen the dialect')
  return dialect
}

/** The tools of MCP servers. A front calls none: it knows them by what the workers have kept. */
async function mcpOf(
  config: Config,
  { log, mcpStore: store, proxy, taken }: AgentSources & { proxy: ProxySetting | undefined; taken: string[] },
): Promise<{ toolbox: McpToolbox; config: McpConfig } | undefined> {
  if (!config.MCP_CONFIG)
    for (const rule of unmatchedRules([], { approvers: config.APPROVERS, own: taken })) log.warn(rule, RULE_UNMATCHED)
  if (!config.MCP_CONFIG || !store) return undefined
  const { loadMcpConfig } = await import('../mcp/config/mcp-config.ts')
  const { openMcpToolbox } = await import('../mcp/tools/mcp-toolbox.ts')
  const servers = loadMcpConfig(config.MCP_CONFIG, readEnv())
  const now = Date.now
  const login = { store, secretsKey: config.SECRETS_KEY }
  const open = async () =>
    (await import('../mcp/login/logged-in-servers.ts')).openLoggedIn(servers, { log, now, proxy, ...login })
  const toolbox = await openMcpToolbox(servers, {
    ...{ store, log, now, taken, open: config.ROLE === 'front' ? undefined : open },
    ...{ mostTools: config.MCP_TOOLS_MAX, timeoutMs: config.TOOL_TIMEOUT_MS, approvers: config.APPROVERS },
  })
  return { toolbox, config: servers }
}

function throughSeam(toolbox: Toolbox, seam: ToolSeam | undefined): Toolbox {
  if (!seam) return toolbox
  const more = seam.more?.(toolbox.tools.map(({ name }) => name)) ?? []
  return { ...toolbox, tools: [...toolbox.tools.map((tool) => seam.wrap(tool)), ...more] }
}

function onlyModel(model: Model): Models {
  return {
    model,
    condenseModel: model,
    names: [model.name],
    named: (name) => (name === model.name ? model : undefined),
  }
}

function choicesOf(
  { names: models, named }: Models,
  { tools, off }: Toolbox,
  mcp: McpToolbox | undefined,
): AgentChoices {
  const dialects = DIALECT_NAMES.filter((name) => !lackingTool(name, tools))
  const isModel = (name: string) => named(name) !== undefined
  const own = tools.map(({ name }) => name)
  return {
    ...{ models, isModel, listed: [], dialects },
    get tools() {
      return [...own, ...(mcp?.choices() ?? [])]
    },
    // Those of MCP servers are an admin's concern (mcp/mcp-admin.ts).
    toolsOff: off,
  }
}

interface AllParts extends Models, Toolbox {
  prompts: Prompts
  dialect: AgentParts['dialect']
  mcp: McpToolbox | undefined
  toolSeam: ToolSeam | undefined
  /** Told of chosen tools of which none is left. */
  warnOfGone: (tools: string[]) => void
  /** The operator's dialect. */
  name: DialectName
}

/**
 * A dialect keeps the tools that it cannot do without, whatever tools are chosen. Where none of the chosen ones is left, as
 * after the operator has changed TOOLS, all are there, with a warning; who chooses no tool at all gets none.
 */
async function agentFor(
  chosen: ChosenAgent,
  place: ToolsPlace,
  { model, named, tools, prompts, mcp, toolSeam, ...all }: AllParts,
): Promise<AgentSetup> {
  const name = chosen.dialect && !lackingTool(chosen.dialect, tools) ? chosen.dialect : all.name
  const chosenOf = (some: Tool[]) => (chosen.tools ? some.filter((tool) => isChosen(tool, chosen.tools ?? [])) : some)
  const wrapped = (some: Tool[] = []) => (toolSeam ? some.map((tool) => toolSeam.wrap(tool)) : some)
  const theirs = wrapped(await mcp?.toolsFor(place, chosenOf))
  const isGone = chosen.tools?.length && theirs.length + chosenOf(tools).length === 0
  if (isGone) all.warnOfGone(chosen.tools ?? [])
  const wanted = chosen.tools && !isGone ? [...chosen.tools, ...DIALECTS[name].needs] : undefined
  const { instructions } = chosen
  const dialect = all.dialect(name)
  return {
    model: (chosen.model !== undefined && named(chosen.model)) || model,
    dialect: instructions ? withInstructions(dialect, prompts['channel-instructions']({ instructions })) : dialect,
    tools: [
      ...(wanted ? tools.filter((tool) => isChosen(tool, wanted)) : tools),
      ...(isGone ? wrapped(await mcp?.toolsFor(place)) : theirs),
    ],
  }
}

/** By its name, or by that of all tools of its server, `server__*`. */
function isChosen({ name }: Tool, chosen: string[]): boolean {
  return chosen.some((one) => one === name || (one.endsWith('__*') && name.startsWith(one.slice(0, -1))))
}

/** How many choices are remembered as warned of. */
const MAX_WARNED = 1_000

/** Warns once of the same tools. */
function warnOnce(log: Log): AllParts['warnOfGone'] {
  const warned = new Set<string>()
  return (tools) => {
    const key = tools.join(' ')
    if (warned.has(key)) return
    if (warned.size >= MAX_WARNED) warned.clear()
    warned.add(key)
    log.warn({ tools }, 'none of the tools that a channel has chosen is there any more: it gets those of TOOLS')
  }
}

/** Digits cost one or two tokens, at each observation. */
function newNonce(): string {
  return String(randomInt(100_000, 1_000_000))
}

function noProxy(config: Config): { noProxy?: string } {
  return config.NO_PROXY ? { noProxy: config.NO_PROXY } : {}
}

function dialectOf(name: DialectName, prompts: Prompts, { tools, examples }: Toolbox): Dialect {
  const lacking = lackingTool(name, tools)
  if (lacking) throw new ConfigError(`TOOLS should name ${lacking}: AGENT_DIALECT=${name} cannot do without it.`)
  return DIALECTS[name].create({ prompts, examples })
}

/** The first tool that a dialect cannot do without and that is not there. */
function lackingTool(name: DialectName, tools: Tool[]): string | undefined {
  return DIALECTS[name].needs.find((needed) => !tools.some((tool) => tool.name === needed))
}

function limitsOf(config: Config) {
  return {
    maxSteps: config.AGENT_MAX_STEPS,
    timeoutMs: config.AGENT_TIMEOUT_MS,
    toolTimeoutMs: config.TOOL_TIMEOUT_MS,
    toolOutputChars: config.TOOL_OUTPUT_CHARS,
    ...(config.RUN_MAX_TOKENS === undefined ? {} : { maxTokens: config.RUN_MAX_TOKENS }),
    ...(config.RUN_MAX_USD === undefined ? {} : { maxCostUsd: config.RUN_MAX_USD }),
  }
}
