/** Reads a channel's messages in a period. */
import { z } from 'zod'
import type { Tool } from '../src/agent/contracts/tool.ts'
import { defineTool } from '../src/agent/define-tool.ts'
import { queryText } from './query-text.ts'
import { workspaceOf } from './open-workspace.ts'

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
