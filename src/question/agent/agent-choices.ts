import { DIALECTS } from '../../agent/dialects/index.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import { DIALECT_NAMES, type DialectName } from '../../config.ts'
import type { McpToolbox } from '../../mcp/tools/mcp-toolbox.ts'
import type { Models } from '../../model/choose-model.ts'
import type { Toolbox } from '../../toolbox/toolbox.ts'

/** The names that a channel may choose from. */
export interface AgentChoices {
  /** The models that are offered. Others may be named too, if `isModel` accepts them. */
  models: string[]
  isModel(name: string): boolean
  /** The models that the endpoint lists; empty until it has answered. */
  listed: string[]
  dialects: DialectName[]
  tools: string[]
  skills: string[]
  /** The tools that are off or broken, each with the reason. */
  toolsOff: Toolbox['off']
}

export function choicesOf(
  { names: models, byName }: Models,
  { tools, off: toolsOff }: Toolbox,
  mcp: McpToolbox | undefined,
  skills: { name: string }[],
): AgentChoices {
  const dialects = DIALECT_NAMES.filter((name) => !lackingTool(name, tools))
  const isModel = (name: string) => byName(name) !== undefined
  const own = tools.map(({ name }) => name)
  return {
    models,
    isModel,
    listed: [],
    dialects,
    skills: skills.map(({ name }) => name),
    get tools() {
      return [...own, ...(mcp?.choices() ?? [])]
    },
    // Tools of MCP servers that are off are shown only to admins (mcp/tools/mcp-admin.ts).
    toolsOff,
  }
}

/** Returns the first tool that a dialect needs and that is missing. */
export function lackingTool(name: DialectName, tools: Tool[]): string | undefined {
  return DIALECTS[name].needs.find((needed) => !tools.some((tool) => tool.name === needed))
}
