/** The tools that read a channel's messages in a period, and a thread by the address of one of its messages. */
import { z } from 'zod'
import type { Tool, ToolContext, WorkspaceReader } from '../src/agent/contracts/tool.ts'
import { defineTool } from '../src/agent/define-tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { queryText } from './query-text.ts'

const DESCRIPTION =
  'Reads what was written in a channel of this Slack workspace since or between times. ' +
  'It opens the busiest threads, and gives a link to each message. ' +
  'Its first line says how much of how much it read; while there are more parts, read them too. Link each point of your answer to its message.'

const TIME =
  '2026-11-23, 2026-11-23T14:00, yesterday, a weekday, or "last run" (of a schedule), in the asker’s time zone'

export function readChannelTool(): Tool {
  return defineTool({
    name: 'read_channel',
    quotes: true,
    title: 'Read a channel',
    description: DESCRIPTION,
    schema: z.object({
      channel: queryText().min(1).describe('its id or #name'),
      since: queryText().optional().describe(`${TIME}; 24 hours ago unless it says otherwise`),
      until: queryText().optional().describe('the same; a day counts whole; now unless it says otherwise'),
      part: z.number().int().min(1).optional().describe('1 unless it says otherwise'),
    }),
    timeoutMs: 60_000,
    outputChars: 16_000,
    run: async ({ part = 1, ...wanted }, context) => {
      const { text, title, url } = await (await workspaceOf(context)).readChannel({ ...wanted, part }, context.signal)
      return { text, sources: [{ title, url }], passing: true }
    },
  })
}

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

/** Opens the reader of the asker's workspace. @throws ToolError if the question comes from no workspace */
export async function workspaceOf({ workspace }: ToolContext): Promise<WorkspaceReader> {
  if (!workspace) throw new ToolError('There is no Slack workspace to read here.')
  return workspace()
}
