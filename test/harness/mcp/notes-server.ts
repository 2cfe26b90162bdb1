/**
 * An MCP server made with the SDK of 2026. It speaks 2026-07-28 and the previous protocol. As a program (`node --import
 * tsx notes-server.ts`) it serves stdio.
 */
import { fileURLToPath } from 'node:url'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { parseJson } from '../../../src/base/parse-json.ts'
import type { Ends } from '../ends.ts'
import { serveFetch } from './fetch-server.ts'

/** The notes of all callers. */
export type Notes = { title: string; text: string; urgent: boolean }[]

export interface NotesOptions {
  /** The time for which its list of tools may be cached. */
  ttlMs?: number
  /** Further tools by name. A tool that is added later is listed from then on. */
  more?: string[]
}

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })

/**
 * Its tools: `search_notes` (reads), `add_note` (writes, three fields), `broken` (fails), `links` (a page and a file),
 * `env` (its environment).
 */
export function notesServer(notes: Notes, { ttlMs, more = [] }: NotesOptions = {}): McpServer {
  const server = new McpServer(
    { name: 'notes', version: '1.0.0' },
    {
      instructions: 'Notes of the team.',
      capabilities: { tools: { listChanged: true } },
      ...(ttlMs === undefined ? {} : { cacheHints: { 'tools/list': { ttlMs } } }),
    },
  )
  const query = z.object({ query: z.string() })
  const reads = { readOnlyHint: true }
  server.registerTool(
    'search_notes',
    { description: 'Finds notes.', inputSchema: query, annotations: reads },
    ({ query: words }) => text(JSON.stringify(notes.filter((note) => note.text.includes(words)))),
  )
  const note = z.object({ title: z.string(), text: z.string(), urgent: z.boolean().default(false) })
  server.registerTool('add_note', { description: 'Keeps a note.', inputSchema: note }, (given) => {
    notes.push(given)
    return { ...text(`Kept “${given.title}”.`), structuredContent: { kept: notes.length } }
  })
  server.registerTool('broken', { description: 'Fails.' }, () => ({ ...text('The shelf is full.'), isError: true }))
  server.registerTool('links', { description: 'Links.' }, () => ({
    content: [
      { type: 'resource_link', uri: 'https://notes.example.com/1', name: 'one', title: 'Note one' },
      { type: 'resource', resource: { uri: 'https://notes.example.com/2', text: 'The second note.' } },
      { type: 'resource_link', uri: 'file:///etc/passwd', name: 'a file' },
      { type: 'image', data: Buffer.alloc(3_000).toString('base64'), mimeType: 'image/png' },
    ],
  }))
  server.registerTool('env', { description: 'Its environment.' }, () => text(JSON.stringify(process.env)))
  for (const name of more) server.registerTool(name, { description: 'One more.' }, () => text(name))
  return server
}

export interface NotesAtHttp {
  url: string
  notes: Notes
  /** The JSON-RPC methods that were called, in order. */
  methods: string[]
  headers: Record<string, string>[]
  /** Adds a tool, and notifies listeners. */
  add(tool: string): void
  /** Adds a tool without a notification, and cuts listeners off. */
  addSilently(tool: string): void
}

export async function startNotesServer(t: Ends, options: NotesOptions = {}): Promise<NotesAtHttp> {
  const notes: Notes = []
  const more = [...(options.more ?? [])]
  const handler = createMcpHandler(() => notesServer(notes, { ...options, more }))
  const at: NotesAtHttp = { url: '', notes, methods: [], headers: [], add() {}, addSilently() {} }
  at.add = (tool) => {
    if (!more.includes(tool)) more.push(tool)
    handler.notify.toolsChanged()
  }
  const { server, base } = await serveFetch(t, async (request) => {
    at.methods.push(...methodsIn(await request.clone().text()))
    at.headers.push(Object.fromEntries(request.headers))
    return handler.fetch(request)
  })
  at.addSilently = (tool) => {
    if (!more.includes(tool)) more.push(tool)
    server.closeAllConnections()
  }
  at.url = `${base}/mcp`
  t.onTestFinished(() => handler.close())
  return at
}

function methodsIn(body: string): string[] {
  const { data } = z.object({ method: z.string() }).safeParse(parseJson(body))
  return data ? [data.method] : []
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const notes: Notes = []
  serveStdio(() => notesServer(notes))
}
