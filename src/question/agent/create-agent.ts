import { readFileSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { DIALECTS } from '../../agent/dialects/index.ts'
import type { Dialect } from '../../agent/contracts/dialect.ts'
import type { Model } from '../../agent/contracts/model.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import type { RunLimits } from '../../agent/run-state.ts'
import type { Config, DialectName } from '../../config.ts'
import { ConfigError, messageOf } from '../../base/errors.ts'
import { proxyFrom } from '../../base/http/connection-pools.ts'
import { sleep } from '../../base/backoff.ts'
import { createToolHttp } from '../../base/http/tool-http.ts'
import { withChosenApi } from '../../model/choose-api.ts'
import { createModels, type Models } from '../../model/choose-model.ts'
import { loadPrompts, type Prompts } from '../../base/prompts.ts'
import { ruleWarning } from '../../mcp/tools/unmatched-rules.ts'
import type { Skill } from '../../../tools/read-skill.ts'
import { openToolbox, type Toolbox } from '../../toolbox/toolbox.ts'
import { loadSkills } from '../../toolbox/skills.ts'
import { choicesOf, lackingTool } from './agent-choices.ts'
import type { AgentParts, AgentSources, ChosenModel, ToolSeam } from './agent-parts.ts'
import { agentFor, warnOnce, dialectWithSkills, skillTools, type ChannelAgentParts } from './channel-agent.ts'
import { chooseDialect, givenDialect } from './choose-dialect.ts'
import { withInstructions } from '../../agent/dialects/instructions.ts'

/**
 * @throws ConfigError for a broken prompt or INSTRUCTIONS_FILE, an unknown tool, or a dialect whose tools are missing
 */
export async function createAgent(config: Config, sources: AgentSources): Promise<AgentParts> {
  const prompts = sources.prompts ?? loadPrompts()
  const proxy = proxyFrom(config)
  const { now, toolSeam } = sources
  const nowMs = () => now().getTime()
  const http = createToolHttp({ proxy, timeoutMs: config.TOOL_TIMEOUT_MS, clocks: { now: nowMs, sleep } })
  const models = await openModels(config, sources)
  const wrapped = (tools: Tool[] = []) => (toolSeam ? tools.map((tool) => toolSeam.wrap(tool)) : tools)
  const toolbox = throughSeam(await openToolbox(config, { ...sources, http, prompts }), toolSeam)
  const withHouse = houseInstructions(config.INSTRUCTIONS_FILE, prompts)
  const skills = await loadSkills(config.SKILLS_DIR, sources.log)
  const dialectWith = (name: DialectName, chosen: Skill[]) =>
    withHouse(dialectWithSkills(dialectOf(name, prompts, toolbox), chosen, prompts))
  const dialect = (name: DialectName) => dialectWith(name, skills)
  const name = sources.model ? givenDialect(config) : await chooseDialect(config, models.model, sources)
  const taken = toolbox.tools.map(({ name }) => name)
  // With MCP_CONFIG, the toolbox warns once the servers' tools are known.
  if (!config.MCP_CONFIG) ruleWarning(sources.log, config.APPROVERS, taken)([])
  const opened = config.MCP_CONFIG
    ? await (await import('./open-mcp.ts')).openMcp(config, { ...sources, now: nowMs, proxy, taken })
    : undefined
  const mcp = opened?.toolbox
  const warnOfGone = warnOnce(sources.log)
  const parts: ChannelAgentParts = { models, toolbox, skills, dialectWith, name, prompts, mcp, wrapped, warnOfGone }
  const defaults = {
    model: models.model,
    dialect: dialect(name),
    tools: [...toolbox.tools, ...wrapped(skillTools(skills))],
    skills: skills.map((one) => one.name),
    limits: limitsOf(config),
    fetch: http.scope({ name: 'The tool', cacheMs: 0 }),
    now,
    newNonce,
    watchCall: sources.watchCall,
  }
  const current = currentModels({ models, name }, config, sources)
  return {
    defaults,
    prompts,
    get condenseModel() {
      return current().models.condenseModel
    },
    dialect,
    choices: choicesOf(models, toolbox, mcp, skills),
    agentFor: (chosen, place) => agentFor(chosen, place, { ...parts, ...current() }),
    isFresh: mcp !== undefined || sources.chosenModel !== undefined,
    mcp,
    mcpAdmin: opened?.admin,
    accounts: opened?.accounts ?? [],
    close: async () => void (await Promise.all([http.close(), mcp?.close()])),
  }
}

function throughSeam(toolbox: Toolbox, seam: ToolSeam | undefined): Toolbox {
  if (!seam) return toolbox
  const more = seam.more?.(toolbox.tools.map(({ name }) => name)) ?? []
  return { ...toolbox, tools: [...toolbox.tools.map((tool) => seam.wrap(tool)), ...more] }
}

/** The given model, or those that the settings name. */
async function openModels(config: Config, { model, meter, log, net, now }: AgentSources): Promise<Models> {
  if (model) return onlyModel(meter?.model(model) ?? model)
  const endpoint = { log, net, now: () => now().getTime() }
  return createModels({ ...endpoint, meter, config: await withChosenApi(config, endpoint) })
}

/** Returns the models and the dialect of now: those of the settings, or of the model that people have chosen since. */
function currentModels(
  own: Pick<ChannelAgentParts, 'models' | 'name'>,
  config: Config,
  { chosenModel, meter, log, net, now }: AgentSources,
): () => typeof own {
  let made: { of: ChosenModel; models: Models } | undefined
  return () => {
    const chosen = chosenModel?.()
    if (!chosen) return own
    if (made?.of !== chosen) {
      const { name: OPENAI_MODEL, window: OPENAI_CONTEXT_TOKENS = config.OPENAI_CONTEXT_TOKENS } = chosen
      // Every endpoint has chat completions.
      const own = { OPENAI_API: 'chat', OPENAI_CONDENSE_MODEL: undefined, OPENAI_FALLBACK_MODEL: undefined } as const
      const other: Config = { ...config, ...own, OPENAI_MODEL, OPENAI_CONTEXT_TOKENS }
      made = { of: chosen, models: createModels({ config: other, log, net, meter, now: () => now().getTime() }) }
    }
    return { models: made.models, name: chosen.dialect }
  }
}

function onlyModel(model: Model): Models {
  return {
    model,
    condenseModel: model,
    names: [model.name],
    byName: (name) => (name === model.name ? model : undefined),
  }
}

/** Letters, because small models read digits as a part of the result. Consonants make no word of a page. */
function newNonce(): string {
  return Array.from({ length: 6 }, () => CONSONANTS[randomInt(CONSONANTS.length)]).join('')
}

const CONSONANTS = 'bcdfghjkmnpqrstvwxz'

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
    maxTokens: config.RUN_MAX_TOKENS,
    maxCostUsd: config.RUN_MAX_USD,
  }
}

/** The maximum length of the instructions, in characters: they are part of every prompt. */
const MAX_INSTRUCTIONS = 10_000

/**
 * Returns a function that adds the operator's instructions to a dialect, before a channel's own. Without a file the
 * dialect stays as it is.
 * @throws ConfigError if INSTRUCTIONS_FILE cannot be read, is empty or too long
 */
function houseInstructions(file: string | undefined, prompts: Prompts): (dialect: Dialect) => Dialect {
  if (file === undefined) return (dialect) => dialect
  const words = prompts['house-instructions']({ instructions: instructionsIn(file) })
  return (dialect) => withInstructions(dialect, words)
}

function instructionsIn(file: string): string {
  const text = read(file).trim()
  if (text === '')
    throw new ConfigError(`INSTRUCTIONS_FILE is empty: write your instructions into ${file}, or unset it.`)
  if (text.length > MAX_INSTRUCTIONS)
    throw new ConfigError(
      `INSTRUCTIONS_FILE is too long: shorten ${file} from ${text.length} to ${MAX_INSTRUCTIONS} characters.`,
    )
  return text
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`INSTRUCTIONS_FILE cannot be read: ${messageOf(error)}.`)
  }
}
