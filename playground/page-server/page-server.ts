/**
 * Serves the playground's page: its files, the workspace as JSON, changes as they happen (page-changes.ts), and the
 * actions of the person at the page. It listens only on 127.0.0.1 and checks Host and Origin, so that no website can
 * reach it by DNS rebinding or cross-origin posts.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { isObject } from '../slack/args.ts'
import { salesCsv } from '../samples/sales.ts'
import { errorText } from '../base/error-text.ts'
import { listen, readBody, sendJson } from '../base/loopback-server.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import { pageActions, type OnAct } from './page-actions.ts'
import { tellChanges } from './page-changes.ts'
import { sendShared, takeFile } from './page-files.ts'
import { pageState, personAt, personNamed, type PageNotes } from './page-state.ts'
import { PAGE, pageBundle } from './page-bundle.ts'
import type { PagePart } from './page-part.ts'

/** The page's port and parts, and its texts. */
export interface PageOptions {
  /** Default: 3210. 0 takes a free port. */
  port?: number
  notes: PageNotes
  /** Further parts of the page, beside the workspace. */
  parts?: PagePart[]
  /** Called before a person's action; see page-actions.ts. */
  onAct?: OnAct
}

export interface PageServer {
  url: string
  close(): Promise<void>
}

/** The types of the page's files. No other files are served. */
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Files from packages and sample files, by the name that the page requests. */
const LIBRARIES: Record<string, { file: string; type: string }> = {
  'emoji.json': { file: 'emojibase-data/en/shortcodes/iamcal.json', type: 'application/json' },
  'handbook.pdf': { file: '../samples/handbook.pdf', type: 'application/pdf' },
}

/** The page loads nothing from elsewhere and runs only its own scripts. */
export const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-src 'self'; frame-ancestors 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** Starts the server. @throws Error with a sentence if the port is in use */
export async function startPage(slack: LocalSlack, options: PageOptions): Promise<PageServer> {
  const { parts = [], port = 3210 } = options
  const actions = new Map([
    ...pageActions(slack, options.onAct),
    ...parts.flatMap(({ posts = {} }) => Object.entries(posts)),
  ])
  const panels = parts.flatMap(({ panel = [] }) => panel)
  const getHandlers = new Map(parts.flatMap(({ gets = {} }) => Object.entries(gets)))
  const server = await listen((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy()
      sendJson(response, { error: errorText(error) }, { status: 400 })
    })
  }, port).catch((error: unknown) => Promise.reject(portError(error, port)))

  const notesNow = () => parts.reduce((now, { notes }) => ({ ...now, ...notes?.(now) }), options.notes)

  async function serve(request: IncomingMessage, response: ServerResponse) {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    if (!isOurs(request, server.port)) return void response.writeHead(403).end('This page answers only on localhost.')
    const { pathname, searchParams } = new URL(request.url ?? '/', server.base)
    const you = personAt(slack, searchParams.get('as'))
    if (pathname === '/upload') return upload({ you, searchParams }, request, response)
    if (request.method === 'POST') return act({ pathname, you }, request, response)
    if (pathname === '/state') return sendJson(response, { ...pageState(slack, notesNow(), you), panels })
    const handler = getHandlers.get(pathname)
    if (handler) return sendJson(response, await handler(searchParams, you))
    if (pathname.startsWith('/lib/')) return sendLibrary(pathname.slice(5), response)
    if (pathname.startsWith('/files/')) return sendShared(slack, { path: pathname, you }, response)
    const beside = personNamed(slack, searchParams.get('with')) ?? you
    const index = beside === you ? 'index.html' : 'split.html'
    await sendFile(pathname === '/' ? index : pathname.slice(1), response)
  }

  async function upload(
    at: { searchParams: URLSearchParams; you: string },
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    sendJson(response, await takeFile(slack, at, request))
  }

  async function act(at: { pathname: string; you: string }, request: IncomingMessage, response: ServerResponse) {
    const action = actions.get(at.pathname)
    if (!action) return void response.writeHead(404).end()
    const body: unknown = JSON.parse(await readBody(request, 100_000))
    const told = await action(isObject(body) ? body : {}, at.you)
    sendJson(response, { ok: true, ...told })
  }

  const endChanges = tellChanges(server, slack, parts, (request) => isOurs(request, server.port))

  async function close() {
    endChanges()
    await server.close()
  }

  return { url: `http://localhost:${server.port}`, close }
}

/** Returns a sentence in place of the error if the port is in use. */
function portError(error: unknown, port: number): unknown {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  return isTaken ? new Error(`Port ${port} is in use. Set PLAYGROUND_PORT to a free one.`) : error
}

/**
 * Returns whether a request is from the page: its Host and its Origin (which a browser names) are ours, and a posted
 * body is JSON or a file.
 */
export function isOurs(request: IncomingMessage, port: number): boolean {
  const hosts = [`localhost:${port}`, `127.0.0.1:${port}`]
  const { host = '', origin, 'content-type': type = '' } = request.headers
  if (!hosts.includes(host.toLowerCase())) return false
  if (origin !== undefined && !hosts.some((one) => origin === `http://${one}`)) return false
  // A form of another site cannot send either type.
  if (request.method === 'POST') return /^application\/(?:json|octet-stream)\b/.test(type)
  return request.method === 'GET' || request.method === 'HEAD'
}

/**
 * Sends a file of the page by its plain name, so that no folder can be reached. Scripts and style sheets are bundled
 * with their imports.
 */
export async function sendFile(name: string, response: ServerResponse): Promise<void> {
  const type = TYPES[extname(name)]
  const path = join(PAGE, name)
  if (!type || !/^[a-z-]+\.[a-z]+$/.test(name) || !existsSync(path)) return void response.writeHead(404).end()
  const file = /\.(?:js|css)$/.test(name) ? await pageBundle(name) : readFileSync(path)
  response.writeHead(200, { 'content-type': type }).end(file)
}

function sendLibrary(name: string, response: ServerResponse): void {
  if (name === 'sales.csv')
    return void response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end(salesCsv())
  const library = Object.hasOwn(LIBRARIES, name) ? LIBRARIES[name] : undefined
  if (!library) return void response.writeHead(404).end()
  const file = readFileSync(createRequire(import.meta.url).resolve(library.file))
  response.writeHead(200, { 'content-type': library.type }).end(file)
}
