import { randomInt } from 'node:crypto'
import { DIALECTS } from './agent/dialects/index.ts'
import type { Dialect, Model } from './agent/types.ts'
import type { AnswerDeps } from './answer.ts'
import type { Config } from './config.ts'
import { ConfigError } from './errors.ts'
import { createToolHttp } from './toolbox/http/tool-http.ts'
import type { Log } from './log.ts'
import { createModels, type ModelMeter } from './model/index.ts'
import type { Network } from './proxy.ts'
import { loadPrompts, type Prompts } from './prompts.ts'
import { openToolbox, type LeftOut, type Toolbox } from './toolbox/toolbox.ts'

/** Everything that answering takes, apart from the history: what the bot, the terminal and the evaluation share. */
export interface AgentParts {
  answer: Omit<AnswerDeps, 'history'>
  /** Another dialect over the same tools. @throws ConfigError where they do not do for it. */
  dialect(name: Config['AGENT_DIALECT']): Dialect
  close(): Promise<void>
}

export interface AgentSources {
  log: Log
  net: Network
  /** In place of the configured one. */
  model?: Model | undefined
  meter?: ModelMeter | undefined
  /** Told of each custom tool that is left out, in place of the log. */
  leftOut?: ((one: LeftOut) => void) | undefined
}

/** @throws ConfigError for a prompt that is broken, a tool that does not exist or a dialect that lacks its tools. */
export async function createAgent(config: Config, sources: AgentSources): Promise<AgentParts> {
  const prompts = loadPrompts()
  const proxy = config.HTTPS_PROXY ? { uri: config.HTTPS_PROXY, ...noProxy(config) } : undefined
  const http = createToolHttp({ proxy, timeoutMs: config.TOOL_TIMEOUT_MS })
  const given = sources.model && (sources.meter?.model(sources.model) ?? sources.model)
  const { model, condenseModel } = given ? { model: given, condenseModel: given } : createModels({ config, ...sources })
  const toolbox = await openToolbox(config, { ...sources, http, prompts })
  const { tools } = toolbox
  const dialect = (name: Config['AGENT_DIALECT']) => dialectOf(name, prompts, toolbox)
  const world = { fetch: http.scope({ name: 'The tool', cacheMs: 0 }), now: () => new Date(), newNonce }
  const agent = { model, dialect: dialect(config.AGENT_DIALECT), tools, limits: limitsOf(config), ...world }
  return { answer: { agent, prompts, condenseModel }, dialect, close: () => http.close() }
}

/** Digits cost one or two tokens, at each observation. */
function newNonce(): string {
  return String(randomInt(100_000, 1_000_000))
}

function noProxy(config: Config): { noProxy?: string } {
  return config.NO_PROXY ? { noProxy: config.NO_PROXY } : {}
}

function dialectOf(name: Config['AGENT_DIALECT'], prompts: Prompts, { tools, examples }: Toolbox): Dialect {
  const { create, needs } = DIALECTS[name]
  const lacking = needs.find((needed) => !tools.some((tool) => tool.name === needed))
  if (lacking) throw new ConfigError(`TOOLS should name ${lacking}: AGENT_DIALECT=${name} cannot do without it.`)
  return create({ prompts, examples })
}

function limitsOf(config: Config) {
  return {
    maxSteps: config.AGENT_MAX_STEPS,
    timeoutMs: config.AGENT_TIMEOUT_MS,
    toolTimeoutMs: config.TOOL_TIMEOUT_MS,
    toolOutputChars: config.TOOL_OUTPUT_CHARS,
  }
}
