import type { ToolContext } from '../agent/contracts/tool.ts'
import type { Config } from '../config.ts'
import type { AgentParts, AgentSources } from '../question/agent/agent-parts.ts'
import { createAgent } from '../question/agent/create-agent.ts'

/** Opens the tools for a command that asks no model. The `text` dialect needs no tool. */
export function openTools(config: Config, sources: AgentSources): Promise<AgentParts> {
  return createAgent({ ...config, AGENT_DIALECT: 'text' }, { ...sources, model: { name: 'none', async *stream() {} } })
}

/** Returns the context of a tool that a command calls, outside a run and without a model. */
export function commandContext({ defaults }: AgentParts, signal: AbortSignal): ToolContext {
  return {
    signal,
    fetch: defaults.fetch,
    now: defaults.now,
    ask: () => Promise.reject(new Error('This tool asks the model, and this command calls none.')),
    memory: {},
    // A person typed it.
    isNamed: () => true,
  }
}
