/** Reads a thread of the workspace, given the address of one of its messages. */
import { z } from 'zod'
import type { Tool } from '../src/agent/contracts/tool.ts'
import { defineTool } from '../src/agent/define-tool.ts'
import { queryText } from './query-text.ts'
import { workspaceOf } from './open-workspace.ts'

export function readThreadTool(): Tool {
  return defineTool({
    name: 'read_thread',
    quotes: true,
    title: 'Read a thread',
    description:
      'Reads a thread of this Slack workspace. Input: the link to one of its messages (https://….slack.com/archives/…).',
    schema: z.object({ url: queryText().min(1).describe('link to a message') }),
    run: async ({ url: link }, context) => {
      const { text, title, url } = await (await workspaceOf(context)).readThread(link, context.signal)
      return { text, sources: [{ title, url }], passing: true }
    },
  })
}
