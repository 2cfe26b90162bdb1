import type { AgentSetup, AgentDeps } from '../../agent/run-state.ts'
import type { Dialect } from '../../agent/contracts/dialect.ts'
import type { Model } from '../../agent/contracts/model.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import type { DialectName } from '../../config.ts'
import type { Log } from '../../base/log.ts'
import type { McpAdmin } from '../../mcp/tools/mcp-admin.ts'
import type { McpToolbox } from '../../mcp/tools/mcp-toolbox.ts'
import type { ChosenAgent, SettingsPlace } from '../../stores/settings/settings.ts'
import type { ValueStore } from '../../stores/values/value-store.ts'
import type { Account } from '../../mcp/login/connectable-account.ts'
import type { PeopleStore } from '../../stores/values/people-store.ts'
import type { ModelMeter } from '../../model/choose-model.ts'
import type { Network } from '../../base/http/proxy.ts'
import type { Prompts } from '../../base/prompts.ts'
import type { BrokenToolFile } from '../../toolbox/toolbox.ts'
import type { AgentChoices } from './agent-choices.ts'

/** The parts for answering, apart from the history. The bot, the terminal and the evaluation share them. */
export interface AgentParts {
  /** The operator's agent. A channel may choose another model, dialect and tools. */
  defaults: AgentDeps
  prompts: Prompts
  /** Condenses follow-ups; a small model is enough. */
  condenseModel: Model
  /** Returns another dialect over the same tools. @throws ConfigError if a tool that it needs is missing */
  dialect(name: DialectName): Dialect
  choices: AgentChoices
  /**
   * Returns the model, the dialect and the tools that a channel has chosen, with the tools of MCP servers as they are
   * now. A choice that is not available is replaced by the operator's.
   */
  agentFor: (chosen: ChosenAgent, place: SettingsPlace) => Promise<AgentSetup>
  /** `agentFor` may return something else at any moment, even if nothing is chosen. */
  isFresh: boolean
  /** Set if MCP_CONFIG is set and there is a store for it. */
  mcp: McpToolbox | undefined
  /** Its servers, as admins see them on their Home. */
  mcpAdmin: McpAdmin | undefined
  /** The servers that people log in to, each for themselves. */
  accounts: Account[]
  close(): Promise<void>
}

export interface AgentSources {
  log: Log
  net: Network
  now: () => Date
  /** Replaces the configured model. */
  model?: Model | undefined
  meter?: ModelMeter | undefined
  /** Called with each custom tool that is left out, instead of a log line. */
  leftOut?: ((one: BrokenToolFile) => void) | undefined
  /** The store of the known tools of MCP servers. Without it there are none, as in an evaluation. */
  mcpStore?: ValueStore | undefined
  /** People's own logins. Without it there are none. */
  people?: PeopleStore | undefined
  /** Whether questions come from a Slack workspace, whose tools are then available. */
  hasWorkspace?: boolean
  toolSeam?: ToolSeam | undefined
  /** Wraps a tool for the call of one step; see AgentDeps. */
  watchCall?: AgentDeps['watchCall']
  /** Replaces the files of `prompts/`. */
  prompts?: Prompts | undefined
  /**
   * The model that people have chosen in place of the operator's, as on the playground's page; asked at each question.
   */
  chosenModel?: (() => ChosenModel | undefined) | undefined
}

/** A model that takes the place of OPENAI_MODEL while the bot runs, behind the same endpoint. */
export interface ChosenModel {
  name: string
  dialect: DialectName
  /** Tokens; absent if the model tells none. */
  window?: number
}

/** Wraps the agent's tools: the playground observes calls here, or replays recorded ones. */
export interface ToolSeam {
  /** Returns the tool that takes this one's place. */
  wrap(tool: Tool): Tool
  /** Returns additional tools, given the names of the others. */
  more?(known: string[]): Tool[]
}
