/** Searches messages in the workspace's public channels with Slack's own search, and its files, channels and people. */
import { z } from 'zod'
import type { Find, FindKind, Tool, ToolContext, ToolOutput, WorkspaceReader } from '../src/agent/contracts/tool.ts'
import { defineTool } from '../src/agent/define-tool.ts'
import { cutText } from '../src/base/cut-text.ts'
import { queryText } from './query-text.ts'
import { oneLine, serviceSources, webAddress } from './service-response.ts'
import { workspaceOf } from './read-workspace.ts'

const KINDS = ['messages', 'files', 'channels', 'users'] as const satisfies FindKind[]

/** The longest text of one find, in characters. All finds together stay well below the limit of an observation. */
const FIND_CHARS = 500

/** The memory key of the last search's position. The cursor is Slack's, and reveals nothing. */
const MEMORY = 'workspace_search'
const endedSchema = z.object({ query: z.string(), kind: z.enum(KINDS), cursor: z.string() })

export function workspaceSearch(): Tool {
  return defineTool({
    name: 'workspace_search',
    quotes: true,
    title: 'Search this workspace',
    description:
      'Searches what people wrote in public channels of this Slack workspace, or what the asker can see if they connected Slack. The same search again gives the next results.',
    schema: z.object({
      query: queryText().min(1).describe('words or a question'),
      kind: z.enum(KINDS).optional().describe('what to look for; messages unless it says otherwise'),
    }),
    needsSearch: true,
    repeatable: true,
    run: ({ query, kind = 'messages' }, context) => search(query, kind, context),
  })
}

async function search(query: string, kind: FindKind, context: ToolContext): Promise<ToolOutput> {
  const workspace = await workspaceOf(context)
  const ended = endedSchema.safeParse(context.memory[MEMORY]).data
  const cursor = ended?.query === query && ended.kind === kind ? ended.cursor : undefined
  // An empty cursor means that the last search of these words has shown all finds.
  const isOver = cursor === ''
  const found: Awaited<ReturnType<WorkspaceReader['search']>> = isOver
    ? { finds: [] }
    : await workspace.search(query, { kind, cursor, signal: context.signal })
  const { finds, cursor: next = '', asAsker = false, forAsker = false } = found
  context.memory[MEMORY] = { query, kind, cursor: next } satisfies z.infer<typeof endedSchema>
  if (finds.length === 0) return { text: nothing(kind, { isMore: cursor !== undefined, asAsker }), exhausted: true }
  const text = [
    `${asAsker ? AS_ASKER[kind] : HEADS[kind]}${next === '' ? '' : ' (there are more)'}:`,
    ...finds.map(lineOf),
  ].join('\n')
  return {
    text,
    sources: finds.flatMap((find) => serviceSources(headOf(find) || 'Slack', find.url)),
    passing: true,
    forAsker,
  }
}

/** The headings say which channels were searched. */
const HEADS: Record<FindKind, string> = {
  messages: 'Messages in public channels',
  files: 'Files in public channels',
  channels: 'Public channels',
  users: 'People in the workspace',
}

const AS_ASKER: Record<FindKind, string> = {
  messages: 'Messages that the asker can see',
  files: 'Files that the asker can see',
  channels: 'Channels that the asker can see',
  users: 'People in the workspace',
}

function nothing(kind: FindKind, { isMore, asAsker }: { isMore: boolean; asAsker: boolean }): string {
  if (isMore) return 'No more results.'
  if (asAsker) return 'Nothing that the asker can see was found. Other words may find more.'
  const where = { messages: ' in public channels', files: ' in public channels', channels: ' public', users: '' }[kind]
  const what = kind === 'users' ? 'people' : kind
  const found = kind === 'channels' ? 'No public channels were found.' : `No ${what} were found${where}.`
  return `${found} Private channels and direct messages are not searched. Other words may find more.`
}

/**
 * Returns `- @Bob in #general, 2026-11-20 14:03 UTC: words`, with the address below. The text is on one line, so that
 * it cannot pass for another result.
 */
function lineOf(find: Find): string {
  const words = oneLine(cutText(find.text, FIND_CHARS * 2), FIND_CHARS)
  const line = `- ${[headOf(find), words].filter(Boolean).join(': ')}`
  return webAddress(find.url) ? `${line}\n  ${find.url}` : line
}

/** A source has this title. It is kept with the answer, unlike the text of a find. */
function headOf({ who, where, at }: Find): string {
  const place = [who, where && `in ${where}`].filter(Boolean).join(' ')
  return [place, at === undefined ? '' : minuteOf(at)].filter(Boolean).join(', ')
}

function minuteOf(at: number): string {
  const time = new Date(at * 1000)
  return Number.isNaN(time.getTime()) ? '' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
