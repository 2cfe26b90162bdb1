/** Shortens long lists of tools: the prompt has one line for each, and an additional tool describes them. */
import type { Tool } from '../../agent/contracts/tool.ts'
import { ToolError } from '../../base/errors.ts'
import { briefOf } from './hygiene.ts'

const TOOL_DETAILS = 'tool_details'

/**
 * Returns the tools of a run. If there are more than `max` of servers, each has one line, and `tool_details` is added.
 */
export function withBriefs(tools: Tool[], max: number): Tool[] {
  if (tools.filter(({ server }) => server !== undefined).length <= max) return tools
  const brief = tools.map((tool) => (tool.server === undefined ? tool : { ...tool, brief: briefOf(tool.description) }))
  return [...brief, toolDetails(tools)]
}

function toolDetails(tools: Tool[]): Tool<{ tool: string }> {
  return {
    name: TOOL_DETAILS,
    description:
      'Describes a tool of which the list has only one line: what it does, and its input. Use it before you use such a tool.',
    effects: 'read',
    parameters: {
      type: 'object',
      properties: { tool: { type: 'string', description: 'the name of a tool' } },
      required: ['tool'],
    },
    parse(value) {
      const named = typeof value === 'object' && value !== null && 'tool' in value ? value.tool : undefined
      if (typeof named === 'string' && named.trim() !== '') return { ok: true, value: { tool: named.trim() } }
      return { ok: false, issues: [{ path: ['tool'], message: 'should be the name of a tool', expected: 'string' }] }
    },
    async run({ tool: named }) {
      const tool =
        tools.find(({ name }) => name === named) ?? tools.find(({ name }) => name.toLowerCase() === named.toLowerCase())
      if (!tool) throw new ToolError(`There is no tool "${named.slice(0, 100)}". Use the exact name from the list.`)
      // The schema comes first, because a long observation is cut at the end.
      return `${tool.name} takes a JSON object by this JSON Schema: ${JSON.stringify(tool.parameters)}\n${tool.description}`
    },
  }
}
