/** Reads a skill: the operator's instructions for one kind of task. A run has this tool if there are skills. */
import { z } from 'zod'
import { defineTool } from '../src/agent/define-tool.ts'
import type { Tool } from '../src/agent/contracts/tool.ts'
import { closestName } from '../src/base/closest-name.ts'
import { ToolError } from '../src/base/errors.ts'

/** A folder with a `SKILL.md`, as https://agentskills.io/specification describes it. */
export interface Skill {
  /** 1 to 64 of a–z, 0–9 and `-`. */
  name: string
  /** Its purpose, on one line. */
  description: string
  /**
   * Returns the text of `SKILL.md` without its front matter, or of a file beside it.
   * @throws ToolError if it cannot be read
   */
  read(file?: string): Promise<string>
}

export function readSkill(skills: readonly Skill[]): Tool {
  return defineTool({
    name: 'read_skill',
    title: 'Read a skill',
    description: 'Returns the instructions of a skill, or a file that they name. Input: the name of the skill.',
    schema: z.object({
      name: z.string().describe('name of the skill'),
      file: z.string().optional().describe('a file beside it that its text names'),
    }),
    run: async ({ name, file }) => ({ text: await skillOf(skills, name.trim()).read(file), instructions: true }),
  })
}

function skillOf(skills: readonly Skill[], name: string): Skill {
  const found = skills.find((skill) => skill.name === name)
  if (found) return found
  const names = skills.map((skill) => skill.name)
  const meant = closestName(name.slice(0, 100), names)
  throw new ToolError(
    `There is no skill "${name.slice(0, 100)}". ${meant ? `Did you mean ${meant}?` : `There are: ${names.join(', ')}.`}`,
  )
}
