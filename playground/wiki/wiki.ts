/**
 * A small MediaWiki on this machine: `api.php` for search, extracts and disambiguation, so that the `wikipedia` tool
 * works offline. It serves the pages of wiki-pages.txt, or a test's own. Beside them are three pages of a web site, for
 * `read_page`.
 */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { hasOwnHost, listen, readBody, sendJson, wait } from '../base/loopback-server.ts'
import { shippedPages, type WikiPage } from './wiki-pages.ts'
import type { Json } from '../slack/types.ts'
import { answerQuery, ApiError, type Extensions, type PlayedWiki } from './wiki-query.ts'
import { search } from './wiki-search.ts'

/** A fault of the next `times` requests. */
interface WikiFault {
  times: number
  status?: number
  body?: string
  delayMs?: number
  /** The answer waits for this promise. */
  hold?: Promise<unknown>
  /** Cuts the connection without an answer. */
  drop?: boolean
}

export interface Wiki {
  /** The address of api.php, for WIKIPEDIA_API_URL. */
  url: string
  /** The addresses of the pages of samples/web: prices in a table, news, and a login. */
  web: Record<SamplePage, string>
  pages: WikiPage[]
  /** The parameters of every request so far. */
  requests: URLSearchParams[]
  fault(fault: WikiFault): void
  close(): Promise<void>
}

const WEB = { shipping: 'shipping.html', release: 'release.html', members: 'members.html' }
type SamplePage = keyof typeof WEB

/** Starts it on 127.0.0.1, with the extensions of Wikipedia unless some are left out. */
export async function startWiki(
  options: { port?: number; pages?: WikiPage[]; without?: (keyof Extensions)[] } = {},
): Promise<Wiki> {
  const pages = options.pages ?? shippedPages()
  const has = (name: keyof Extensions) => !options.without?.includes(name)
  const extensions = { CirrusSearch: has('CirrusSearch'), TextExtracts: has('TextExtracts') }
  const requests: URLSearchParams[] = []
  const faults: WikiFault[] = []
  const server = await listen((request, response) => {
    if (!hasOwnHost(request)) return void response.writeHead(403).end('Only for this machine.')
    serve(request, response).catch(() => response.destroy())
  }, options.port)

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', server.base)
    if (url.pathname.startsWith('/pages/')) return serveWeb(url.pathname.slice('/pages/'.length), response)
    if (!url.pathname.endsWith('/api.php')) return servePage(url, response)
    const params = new URLSearchParams(url.search)
    if (request.method === 'POST')
      for (const [key, value] of new URLSearchParams(await readBody(request))) params.set(key, value)
    requests.push(params)
    if (await goesWrong(response)) return
    reply(response, params, () => answer({ pages, extensions, base: server.base }, params))
  }

  async function goesWrong(response: ServerResponse): Promise<boolean> {
    const fault = faults.find((one) => one.times > 0)
    if (!fault) return false
    fault.times -= 1
    if (fault.delayMs) await wait(fault.delayMs)
    await fault.hold
    if (fault.drop) response.destroy()
    else if (fault.status || fault.body) response.writeHead(fault.status ?? 200).end(fault.body ?? '')
    else return false
    return true
  }

  function servePage(url: URL, response: ServerResponse) {
    const title = decodeURIComponent(url.pathname.replace(/^\/wiki\//, '')).replaceAll('_', ' ')
    const page = pages.find((one) => one.title === title)
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(page ? `${page.title}\n\n${page.text}` : 'There is no such page in the played wiki.')
  }

  const webAddress = (name: SamplePage) => `${server.base}/pages/${name}`
  return {
    url: `${server.base}/w/api.php`,
    web: { shipping: webAddress('shipping'), release: webAddress('release'), members: webAddress('members') },
    pages,
    requests,
    fault: (fault) => void faults.push({ ...fault }),
    close: server.close,
  }
}

/** Serves a page for people, as a web site does. */
function serveWeb(name: string, response: ServerResponse): void {
  const file = Object.hasOwn(WEB, name) ? WEB[name as SamplePage] : undefined
  response.writeHead(file ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
  response.end(file ? readFileSync(join(import.meta.dirname, '../samples/web', file)) : 'There is no such page.')
}

/** Answers the two actions that readers need. */
function answer(wiki: PlayedWiki, params: URLSearchParams): unknown {
  const action = params.get('action')
  if (action === 'query') return answerQuery(wiki, params)
  if (action === 'opensearch') return openSearch(wiki.pages, params, wiki.base)
  throw new ApiError('badvalue', `Unrecognized value for parameter "action": ${action ?? ''}.`)
}

/** Returns titles that begin with the typed text, in the four lists of OpenSearch suggestions. */
function openSearch(pages: WikiPage[], params: URLSearchParams, base: string): unknown[] {
  const asked = params.get('search') ?? ''
  const begins = pages.filter((page) => page.title.toLowerCase().startsWith(asked.toLowerCase()))
  const hits = (begins.length > 0 ? begins : search(pages, asked)).slice(0, Number(params.get('limit') ?? 10))
  const urls = hits.map((page) => `${base}/wiki/${encodeURIComponent(page.title.replaceAll(' ', '_'))}`)
  return [asked, hits.map((page) => page.title), hits.map(() => ''), urls]
}

/** Sends an answer. MediaWiki's errors have status 200, and differ from answers by a header. */
function reply(response: ServerResponse, params: URLSearchParams, make: () => unknown) {
  const headers: Record<string, string> = { 'access-control-allow-origin': '*' }
  let body: unknown
  try {
    body = make()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    headers['MediaWiki-API-Error'] = error.code
    body = { error: { code: error.code, info: error.message, docref: 'See the API help for usage.' } }
  }
  const modern = params.get('formatversion') === '2' || params.get('formatversion') === 'latest'
  const shown = modern ? body : legacy(body)
  if (params.get('format') === 'json') return sendJson(response, shown, { headers })
  // Without format=json MediaWiki returns a page for people, so that a missing parameter is noticed.
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
  response.end(`<pre>${JSON.stringify(shown, undefined, 2).replaceAll('<', '&lt;')}</pre>`)
}

/**
 * Converts a value to formatversion 1: true becomes an empty string, false is left out, and pages are keyed by id (-1,
 * -2 … without one).
 */
function legacy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(legacy)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, one]) => one !== false)
  return Object.fromEntries(
    entries.map(([key, one]) => {
      if (one === true) return [key, '']
      return [key, key === 'pages' && Array.isArray(one) ? keyedPages(one) : legacy(one)]
    }),
  )
}

/** Pages that do not exist count down from -1. */
function keyedPages(pages: Json[]): Json {
  let absent = 0
  return Object.fromEntries(
    pages.map((page) => [page['missing'] || page['invalid'] ? String(--absent) : String(page['pageid']), legacy(page)]),
  )
}
