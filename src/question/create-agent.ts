import { randomInt } from 'node:crypto'
import type { AgentSetup, AgentDeps } from '../agent/run-state.ts'
import { DIALECTS } from '../agent/dialects/index.ts'
import { withInstructions } from '../agent/dialects/instructions.ts'
import type { Dialect } from '../agent/contracts/dialect.ts'
import type { Model } from '../agent/contracts/model.ts'
import type { Tool } from '../agent/contracts/tool.ts'
import type { AnsweringAgent } from './answer.ts'
import type { RunLimits } from '../agent/run-state.ts'
import type { Config, DialectName } from '../config.ts'
import { ConfigError } from '../base/errors.ts'
import { proxyFrom } from '../base/http/agents.ts'
import { createToolHttp } from '../base/http/tool-http.ts'
import type { Log } from '../base/log.ts'
import type { McpToolbox, ToolsPlace } from '../mcp/tools/mcp-toolbox.ts'
import type { ChosenAgent } from '../stores/settings/settings.ts'
import type { McpStore } from '../stores/mcp/mcp-store.ts'
import type { Account } from '../mcp/login/account.ts'
import type { PeopleStore } from '../stores/mcp/people-store.ts'
import type { McpConfig } from '../mcp/types.ts'
import { withChosenApi } from '../model/choose-api.ts'
import { probeNativeCalls } from '../model/native-probe.ts'
import { createModels, type ModelMeter, type Models } from '../model/index.ts'
import type { Network } from '../base/http/proxy.ts'
import { loadPrompts, type Prompts } from '../base/prompts.ts'
import { houseInstructions } from './house-instructions.ts'
import { RULE_UNMATCHED, unmatchedRules } from '../mcp/tools/unmatched-rules.ts'
import type { Skill } from '../../tools/read-skill.ts'
import { openToolbox, type BrokenToolFile, type Toolbox } from '../toolbox/toolbox.ts'
import { loadSkills } from '../toolbox/skills.ts'
import { choicesOf, lackingTool, type AgentChoices } from './agent-choices.ts'
import { dialectWithSkills, skillTools } from './with-skills.ts'

/** The parts for answering, apart from the history. The bot, the terminal and the evaluation share them. */
export interface AgentParts {
  answer: AnsweringAgent
  /** Returns another dialect over the same tools. @throws ConfigError if a tool that it needs is missing */
  dialect(name: DialectName): Dialect
  choices: AgentChoices
  /**
   * Returns the model, the dialect and the tools that a channel has chosen, with the tools of MCP servers as they are
   * now. A choice that is not available is replaced by the operator's.
   */
  agentFor: (chosen: ChosenAgent, place: ToolsPlace) => Promise<AgentSetup>
  /** Set if MCP_CONFIG is set and there is a store for it. */
  mcp: McpToolbox | undefined
  /** The servers that people log in to, each for themselves. */
  accounts: Account[]
  /** MCP_CONFIG as it was read. */
  mcpConfig: McpConfig | undefined
  close(): Promise<void>
}

export interface AgentSources {
  log: Log
  net: Network
  now: () => Date
  /** Replaces the configured model. */
  model?: Model | undefined
  meter?: ModelMeter | undefined
  /** Called with each custom tool that is left out, in place of a log line. */
  leftOut?: ((one: BrokenToolFile) => void) | undefined
  /** The store of the known tools of MCP servers. Without it there are none, as in an evaluation. */
  mcpStore?: McpStore | undefined
  /** People's own logins. Without it there are none. */
  people?: PeopleStore | undefined
  /** Whether questions come from a Slack workspace, whose tools are then available. */
  hasWorkspace?: boolean
  toolSeam?: ToolSeam | undefined
  /** Wraps a tool for the call of one step; see AgentDeps. */
  watchCall?: AgentDeps['watchCall']
  /** Replaces the files of `prompts/`. */
  prompts?: Prompts | undefined
}

/** Stands between the agent and its tools: the playground observes calls here, or replays recorded ones. */
export interface ToolSeam {
  /** Returns the tool that takes this one's place. */
  wrap(tool: Tool): Tool
  /** Returns additional tools, given the names of the others. */
  more?(known: string[]): Tool[]
}

/**
 * @throws ConfigError for a broken prompt or INSTRUCTIONS_FILE, an unknown tool, or a dialect whose tools are missing
 */
export async function createAgent(config: Config, sources: AgentSources): Promise<AgentParts> {
  const prompts = sources.prompts ?? loadPrompts()
  const proxy = proxyFrom(config)
  const http = createToolHttp({ proxy, timeoutMs: config.TOOL_TIMEOUT_MS })
  const { now } = sources
  const nowMs = () => now().getTime()
  const given = sources.model && (sources.meter?.model(sources.model) ?? sources.model)
  const models = given
    ? onlyModel(given)
    : createModels({ ...sources, now: nowMs, config: await withChosenApi(config, { ...sources, now: nowMs }) })
  const { toolSeam } = sources
  const wrapped = (tools: Tool[] = []) => (toolSeam ? tools.map((tool) => toolSeam.wrap(tool)) : tools)
  const toolbox = throughSeam(await openToolbox(config, { ...sources, http, prompts }), toolSeam)
  const withHouse = houseInstructions(config.INSTRUCTIONS_FILE, prompts)
  const skills = await loadSkills(config.SKILLS_DIR, sources.log)
  const dialectWith = (name: DialectName, chosen: Skill[]) =>
    withHouse(dialectWithSkills(dialectOf(name, prompts, toolbox), chosen, prompts))
  const dialect = (name: DialectName) => dialectWith(name, skills)
  const name = given ? givenDialect(config) : await dialectName(config, models.model, sources.log)
  const world = {
    fetch: http.scope({ name: 'The tool', cacheMs: 0 }),
    now,
    newNonce,
  }
  const { model, condenseModel } = models
  const taken = toolbox.tools.map(({ name }) => name)
  if (!config.MCP_CONFIG) warnOfUnmatched(config, taken, sources.log)
  const opened = config.MCP_CONFIG
    ? await (await import('./open-mcp.ts')).openMcp(config, { ...sources, now: nowMs, proxy, taken })
    : undefined
  const mcp = opened?.toolbox
  const parts: AllParts = {
    ...{ models, toolbox, skills, dialectWith, name, prompts, mcp, wrapped },
    warnOfGone: warnOnce(sources.log),
  }
  const agent = {
    ...{
      model,
      dialect: dialect(name),
      tools: [...toolbox.tools, ...wrapped(skillTools(skills))],
      skills: namesOf(skills),
    },
    ...{ limits: limitsOf(config), ...world, ...(sources.watchCall ? { watchCall: sources.watchCall } : {}) },
  }
  return {
    answer: { agent, prompts, condenseModel },
    dialect,
    choices: choicesOf({ models, toolbox, mcp, skills }),
    agentFor: (chosen, place) => agentFor(chosen, place, parts),
    mcp,
    accounts: opened?.accounts ?? [],
    mcpConfig: opened?.config,
    close: async () => void (await Promise.all([http.close(), mcp?.close()])),
  }
}

/** Warns of rules for tools that there are not. With MCP_CONFIG this is told once the servers' tools are known. */
function warnOfUnmatched({ APPROVERS: approvers }: Config, own: string[], log: Log): void {
  for (const rule of unmatchedRules([], { approvers, own })) log.warn(rule, RULE_UNMATCHED)
}

/** For commands that ask no model, such as those that only look at the tools: the dialect is not probed. */
export function withoutAuto(config: Config): Config {
  return { ...config, AGENT_DIALECT: givenDialect(config) }
}

/** A given model, such as the demo, is not probed. */
function givenDialect({ AGENT_DIALECT: name }: Config): DialectName {
  return name === 'auto' ? 'text' : name
}

/** How long the start waits for the answer of the model's probe with AGENT_DIALECT=auto. Milliseconds. */
const PROBE_MS = 15_000

/**
 * Returns, for `auto`, `native` if the model's tool calls come back usable, else `text`. A front without access to a
 * model probes none.
 */
async function dialectName(config: Config, model: Model, log: Log): Promise<DialectName> {
  const { AGENT_DIALECT: set, OPENAI_API_KEY: key, OPENAI_BASE_URL: address } = config
  if (set !== 'auto' || (key ?? address) === undefined) return givenDialect(config)
  const found = await probeNativeCalls(model, PROBE_MS)
  const dialect = found.usable ? 'native' : 'text'
  const why = found.usable ? 'Its native tool calls work.' : found.why
  const say = !found.usable && found.isDown ? log.warn.bind(log) : log.info.bind(log)
  say({ model: model.name, dialect, why }, 'AGENT_DIALECT=auto has chosen the dialect')
  return dialect
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

interface AllParts {
  models: Models
  toolbox: Toolbox
  prompts: Prompts
  skills: Skill[]
  dialectWith(name: DialectName, skills: Skill[]): Dialect
  mcp: McpToolbox | undefined
  /** Returns the tools through the seam, if there is one. */
  wrapped(tools?: Tool[]): Tool[]
  /** Called with chosen tools of which none is left. */
  warnOfGone: (tools: string[]) => void
  /** The operator's dialect. */
  name: DialectName
}

/**
 * A dialect keeps the tools that it needs, whatever is chosen. If none of the chosen tools exists any more, for
 * instance after the operator has changed TOOLS, all tools are used, with a warning. An empty choice means no tools.
 */
async function agentFor(
  chosen: ChosenAgent,
  place: ToolsPlace,
  { models, toolbox: { tools }, prompts, mcp, wrapped, ...all }: AllParts,
): Promise<AgentSetup> {
  const name = chosen.dialect && !lackingTool(chosen.dialect, tools) ? chosen.dialect : all.name
  const chosenOf = (some: Tool[]) => (chosen.tools ? some.filter((tool) => isChosen(tool, chosen.tools ?? [])) : some)
  const theirs = wrapped(await mcp?.toolsFor(place, chosenOf))
  const isGone = chosen.tools?.length && theirs.length + chosenOf(tools).length === 0
  if (isGone) all.warnOfGone(chosen.tools ?? [])
  const wanted = chosen.tools && !isGone ? [...chosen.tools, ...DIALECTS[name].needs] : undefined
  const { instructions } = chosen
  const skills = chosen.skills ? all.skills.filter((one) => chosen.skills?.includes(one.name)) : all.skills
  const dialect = all.dialectWith(name, skills)
  return {
    model: (chosen.model !== undefined && models.named(chosen.model)) || models.model,
    dialect: instructions ? withInstructions(dialect, prompts['channel-instructions']({ instructions })) : dialect,
    tools: [
      ...(wanted ? tools.filter((tool) => isChosen(tool, wanted)) : tools),
      ...(isGone ? wrapped(await mcp?.toolsFor(place)) : theirs),
      ...wrapped(skillTools(skills)),
    ],
    skills: namesOf(skills),
  }
}

function namesOf(skills: Skill[]): string[] {
  return skills.map(({ name }) => name)
}

/** Matches a tool's name, or `server__*` for all tools of its server. */
function isChosen({ name }: Tool, chosen: string[]): boolean {
  return chosen.some((one) => one === name || (one.endsWith('__*') && name.startsWith(one.slice(0, -1))))
}

/** How many choices are remembered as already warned about. */
const MAX_WARNED = 1_000

/** Warns once about the same tools. */
function warnOnce(log: Log): AllParts['warnOfGone'] {
  const warned = new Set<string>()
  return (tools) => {
    const key = tools.join(' ')
    if (warned.has(key)) return
    if (warned.size >= MAX_WARNED) warned.clear()
    warned.add(key)
    log.warn({ tools }, 'none of the tools that a channel has chosen exist any more: it gets those of TOOLS')
  }
}

/** Digits cost one or two tokens in each observation. */
function newNonce(): string {
  return String(randomInt(100_000, 1_000_000))
}

function dialectOf(name: DialectName, prompts: Prompts, { tools, examples }: Toolbox): Dialect {
  const lacking = lackingTool(name, tools)
  if (lacking) throw new ConfigError(`TOOLS lacks ${lacking}, which AGENT_DIALECT=${name} needs. Add it.`)
  return DIALECTS[name].create({ prompts, examples })
}

/** The budget of one run, from the settings. */
function limitsOf(config: Config): RunLimits {
  return {
    maxSteps: config.AGENT_MAX_STEPS,
    timeoutMs: config.AGENT_TIMEOUT_MS,
    toolTimeoutMs: config.TOOL_TIMEOUT_MS,
    toolOutputChars: config.TOOL_OUTPUT_CHARS,
    ...(config.RUN_MAX_TOKENS === undefined ? {} : { maxTokens: config.RUN_MAX_TOKENS }),
    ...(config.RUN_MAX_USD === undefined ? {} : { maxCostUsd: config.RUN_MAX_USD }),
  }
}
