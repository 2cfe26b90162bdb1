import type { ToolContext } from '../agent/contracts/tool.ts'
import type { AgentParts } from '../question/agent/agent-types.ts'

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
