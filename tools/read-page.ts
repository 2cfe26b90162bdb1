/** Reads a page or a document of the web, at an address that the model did not put together. */
import { z } from 'zod'
import type { Fetched, Tool, ToolContext, ToolFetch } from '../src/agent/contracts/tool.ts'
import { defineTool } from '../src/agent/define-tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { hostMatches, type FetchLimits } from '../src/base/http/tool-http.ts'
import type { ToolParts } from './tool-settings.ts'

const LIMITS = {
  maxBytes: 5_000_000,
  timeoutMs: 15_000,
  cacheMs: 15 * 60_000,
  isBinary: true,
  isAnyServer: true,
  perMinute: { host: 20, all: 120 },
}
/** Fetching and reading. */
const CALL_MS = 30_000
const MAX_ADDRESS = 2000
const ACCEPT = 'text/html, application/xhtml+xml, application/pdf, text/*;q=0.9, */*;q=0.5'

const part = z.union([z.string(), z.number()]).optional()

export function readPage(parts: ToolParts): Tool {
  const { settings, pages } = parts
  const fetchPage = fetcher(parts)
  return defineTool({
    name: 'read_page',
    title: 'Read a page',
    quotes: true,
    opensLinks: true,
    timeoutMs: CALL_MS,
    description:
      'Reads a web page or document (HTML, PDF, Office, csv, text) at an address from the question, the thread, a source ' +
      'or a search result. Never change an address, or put one together.',
    schema: z.object({
      url: z.string().trim().min(1).max(MAX_ADDRESS).describe('address, exactly as it was given'),
      lines: part.describe('lines of a long page: 10-40'),
      pages: part.describe('pages of a PDF: 3 or 3-5'),
      sheet: part.describe('name or number of a sheet'),
      range: z.string().optional().describe('cells of a sheet: A1:C20'),
      whole: z.boolean().optional().describe('true for everything on the page, if its main text lacks something'),
    }),
    async run({ url: written, ...wanted }, context) {
      if (!pages) throw new ToolError('No pages can be read here.')
      const url = namedUrl(written, context, settings.LINK_HOSTS ?? [])
      const fetched = await fetchPage(url, context.signal)
      const { url: address = url.href, body, headers } = fetched
      refuse(fetched, new URL(address))
      const page = { address, bytes: Buffer.from(body, 'latin1'), type: headers['content-type'] ?? '' }
      return pages.read(page, wanted, { maxChars: settings.TOOL_OUTPUT_CHARS ?? 4000, context })
    },
  })
}

/** @throws ToolError for an address that nobody named */
function namedUrl(written: string, { isNamed }: ToolContext, hosts: readonly string[]): URL {
  const address = /^[a-z][a-z\d+.-]*:/i.test(written) ? written : `https://${written}`
  if (!URL.canParse(address)) throw new ToolError('read_page needs a whole address, such as https://example.com/page.')
  const url = new URL(address)
  if (isNamed?.(url) || hosts.some((host) => hostMatches(url.host, host))) return url
  throw new ToolError(
    'read_page opens only addresses that stand in the question, the thread, a source or a search result, exactly as ' +
      'they stand there. Use one of those, or search for the page.',
  )
}

/** Hosts of READ_INTERNAL_HOSTS may be on a private network; all others are reached on the internet only. */
function fetcher({ http, settings }: ToolParts): (url: URL, signal: AbortSignal) => Promise<Fetched> {
  const { READ_HOSTS: only = [], READ_INTERNAL_HOSTS: internal = [], READ_INTERNAL_HEADERS: secret = {} } = settings
  const origins = internal.flatMap((host) => ['http', 'https'].map((scheme) => new URL(`${scheme}://${host}`).origin))
  const scope = (more: Partial<FetchLimits>): ToolFetch => http.scope({ name: 'read_page', ...LIMITS, ...more })
  const inside = scope({ hosts: origins, inside: true, sharesHeaders: true })
  const outside = scope({
    check({ host }) {
      if (only.length > 0 && !only.some((allowed) => hostMatches(host, allowed)))
        throw new ToolError(`read_page may not open ${host}: only some hosts are allowed here (READ_HOSTS).`)
    },
  })
  return (url, signal) =>
    origins.includes(url.origin)
      ? inside(url, { signal, headers: { accept: ACCEPT, ...secret } })
      : outside(url, { signal, headers: { accept: ACCEPT } })
}

const REFUSALS: Record<number, string> = {
  401: 'needs a login, which I do not have',
  402: 'must be paid for',
  403: 'may not be read without permission',
  404: 'does not exist',
  407: 'needs a login, which I do not have',
  410: 'does not exist any more',
  451: 'is blocked for legal reasons',
}

/** @throws ToolError for a page that its server does not give */
function refuse({ status, headers }: Fetched, { hostname }: URL): void {
  if (status >= 200 && status < 300) return
  if (headers['cf-mitigated'] === 'challenge')
    throw new ToolError(`${hostname} lets no programs read its pages (${status}). Another try will not help.`)
  const why = REFUSALS[status]
  throw new ToolError(
    why
      ? `This page of ${hostname} ${why} (${status}). Another try will not help.`
      : `${hostname} answered with ${status}.`,
  )
}
