import type { Tool } from '../../agent/contracts/tool.ts'
import { DIALECTS } from '../../agent/dialects/index.ts'
import { withInstructions } from '../../agent/dialects/instructions.ts'
import type { Dialect } from '../../agent/contracts/dialect.ts'
import type { AgentSetup } from '../../agent/run-state.ts'
import type { Log } from '../../base/log.ts'
import type { Prompts } from '../../base/prompts.ts'
import type { DialectName } from '../../config.ts'
import type { McpToolbox } from '../../mcp/tools/mcp-toolbox.ts'
import type { Models } from '../../model/choose-model.ts'
import type { ChosenAgent, SettingsPlace } from '../../stores/settings/settings.ts'
import type { Toolbox } from '../../toolbox/toolbox.ts'
import { readSkill, type Skill } from '../../../tools/read-skill.ts'
import { lackingTool } from './agent-choices.ts'

/** The parts that the agents of all channels share. */
export interface ChannelAgentParts {
  models: Models
  toolbox: Toolbox
  prompts: Prompts
  skills: Skill[]
  dialectWith(name: DialectName, skills: Skill[]): Dialect
  mcp: McpToolbox | undefined
  /** Returns the tools through the seam, if there is one. */
  wrapped(tools?: Tool[]): Tool[]
  /** Called with the chosen tools if none of them exists any more. */
  warnOfGone: (tools: string[]) => void
  /** The operator's dialect. */
  name: DialectName
}

/**
 * Returns the model, the dialect and the tools that a channel has chosen. A choice that is not available is replaced by
 * the operator's.
 *
 * A dialect keeps the tools that it needs, whatever is chosen. If none of the chosen tools exists any more, for
 * instance after the operator has changed TOOLS, all tools are used, with a warning. An empty choice means no tools.
 */
export async function agentFor(
  chosen: ChosenAgent,
  place: SettingsPlace,
  { models, toolbox: { tools }, prompts, mcp, wrapped, ...all }: ChannelAgentParts,
): Promise<AgentSetup> {
  const name = chosen.dialect && !lackingTool(chosen.dialect, tools) ? chosen.dialect : all.name
  const chosenOf = (some: Tool[]) => (chosen.tools ? some.filter((tool) => isChosen(tool, chosen.tools ?? [])) : some)
  const mcpTools = wrapped(await mcp?.toolsFor(place, chosenOf))
  const isNoneLeft = chosen.tools?.length && mcpTools.length + chosenOf(tools).length === 0
  if (isNoneLeft) all.warnOfGone(chosen.tools ?? [])
  const wanted = chosen.tools && !isNoneLeft ? [...chosen.tools, ...DIALECTS[name].needs] : undefined
  const { instructions } = chosen
  const skills = chosen.skills ? all.skills.filter((one) => chosen.skills?.includes(one.name)) : all.skills
  const dialect = all.dialectWith(name, skills)
  return {
    model: (chosen.model !== undefined && models.byName(chosen.model)) || models.model,
    dialect: instructions ? withInstructions(dialect, prompts['channel-instructions']({ instructions })) : dialect,
    tools: [
      ...(wanted ? tools.filter((tool) => isChosen(tool, wanted)) : tools),
      ...(isNoneLeft ? wrapped(await mcp?.toolsFor(place)) : mcpTools),
      ...wrapped(skillTools(skills)),
    ],
    skills: skills.map((one) => one.name),
  }
}

/** Matches a tool's name, or `server__*` for all tools of its server. */
function isChosen({ name }: Tool, chosen: string[]): boolean {
  return chosen.some((one) => one === name || (one.endsWith('__*') && name.startsWith(one.slice(0, -1))))
}

/** How many choices are remembered as already warned about. */
const MAX_WARNED = 1_000

/** Warns once about the same tools. */
export function warnOnce(log: Log): ChannelAgentParts['warnOfGone'] {
  const warned = new Set<string>()
  return (tools) => {
    const key = tools.join(' ')
    if (warned.has(key)) return
    if (warned.size >= MAX_WARNED) warned.clear()
    warned.add(key)
    log.warn({ tools }, 'none of the tools that a channel has chosen exist any more: it gets those of TOOLS')
  }
}

/** The call of the skill tool in dialects whose prompts list no tools. */
const CALLS: Record<string, string> = {
  docstore: 'the action read_skill[NAME]',
  'self-ask': 'the line "Follow up: read_skill[NAME]"',
}

/** Returns the dialect with a line for each skill in its prompt. */
export function dialectWithSkills(dialect: Dialect, skills: readonly Skill[], prompts: Prompts): Dialect {
  if (skills.length === 0) return dialect
  const lines = skills.map(({ name, description }) => `${name}: ${description}`).join('\n')
  const call = CALLS[dialect.name] ?? 'the tool read_skill'
  return withInstructions(dialect, prompts.skills({ call, skills: lines }))
}

/** Returns the tool that reads these skills, if there are any. */
export function skillTools(skills: readonly Skill[]): Tool[] {
  return skills.length === 0 ? [] : [readSkill(skills)]
}
