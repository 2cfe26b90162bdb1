/** With many tools, the prompt has one line per tool, and the tool `tool_details` returns the rest. */
import type { Tool } from '../../agent/types.ts'
import { ToolError } from '../../base/errors.ts'
import { briefOf } from './mcp-tools.ts'

const TOOL_DETAILS = 'tool_details'

/** If servers have more than `most` tools, shortens each to one line and adds `tool_details`. */
export function withBriefs(tools: Tool[], most: number): Tool[] {
  if (tools.filter(({ server }) => server !== undefined).length <= most) return tools
  const brief = tools.map((tool) => (tool.server === undefined ? tool : { ...tool, brief: briefOf(tool.description) }))
  return [...brief, toolDetails(tools)]
}

function toolDetails(tools: Tool[]): Tool<{ tool: string }> {
  return {
    name: TOOL_DETAILS,
    description:
      'Tells all about a tool of which the list has one line: what it does, and its input. Use it before you use such a tool.',
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
      if (!tool)
        throw new ToolError(`There is no tool "${named.slice(0, 100)}". Its name has to be as it stands in the list.`)
      // The schema comes first, because observations are truncated at the end.
      return `${tool.name} takes a JSON object by this JSON Schema: ${JSON.stringify(tool.parameters)}\n${tool.description}`
    },
  }
}
