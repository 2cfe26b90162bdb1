import { withInstructions } from '../../agent/dialects/instructions.ts'
import type { Dialect } from '../../agent/contracts/dialect.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import type { Prompts } from '../../base/prompts.ts'
import { readSkill, type Skill } from '../../../tools/read-skill.ts'

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
