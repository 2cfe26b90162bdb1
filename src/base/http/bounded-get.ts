import type { Dispatcher, Response } from 'undici'
import { ToolError } from '../errors.ts'
import { discard, followRedirects, readCapped } from './response-limits.ts'

/** The response to a tool's fetch: the body as text, limited in size. */
export interface Fetched {
  status: number
  headers: Record<string, string>
  body: string
  /** The address that answered, after redirects. */
  url?: string
}

/**
 * A tool's only access to the network: a GET, or a POST of JSON that only reads. A 4xx is a normal response.
 * @throws ToolError with a sentence if the host is refused, slow or broken
 */
export type ToolFetch = (
  url: string | URL,
  options?: { headers?: Record<string, string>; signal?: AbortSignal; json?: unknown },
) => Promise<Fetched>

/** The limits of one tool's fetch. */
export interface FetchLimits {
  /** The subject of error sentences: `wikipedia did not answer within 10 s.` */
  name: string
  /** URLs whose origins (scheme, host, port) may be called, also by redirects. Without it: any public host. */
  hosts?: string[]
  /** Sends the headers to all of `hosts`, also after a redirect between them. */
  sharesHeaders?: boolean
  /** Returns a second 429 as a response, because its text says which limit is reached. */
  readsBusy?: boolean
  /** Set if the tool calls any server: error sentences are about the host. */
  isAnyServer?: boolean
  /** Set if an operator's setting names the hosts: they may be on a private network. */
  inside?: boolean
  /** Maximum size of the unpacked body. Default 2 MB. */
  maxBytes?: number
  /** Time for one fetch in ms. Default: TOOL_TIMEOUT_MS. */
  timeoutMs?: number
  /** The maximum number of uncached responses per minute: of one host, and of all. */
  perMinute?: { host: number; all: number }
  /** Returns the body as bytes, one character for each. */
  isBinary?: boolean
  /** Refuses a URL, besides the address checks. It runs for every hop. @throws ToolError */
  check?(url: URL): void
  /** The lifetime of a cached 2xx response. Milliseconds, default one hour; 0 for no cache. */
  cacheMs?: number
  /** Returns whether a 2xx response should be cached, for services that send errors with status 200. */
  keep?(answer: Fetched): boolean
}

/** One request. `check` rejects if a URL may not be called. It runs for every hop. */
export interface GetRequest extends Pick<FetchLimits, 'name' | 'sharesHeaders' | 'readsBusy' | 'isBinary'> {
  /** The subject of sentences about the server: a service, or the host of a page. */
  server: string
  url: URL
  headers: Record<string, string>
  /** The JSON of a POST, whose redirects are not followed. Absent for a GET. */
  sent?: string | undefined
  maxBytes: number
  signal: AbortSignal
  dispatcher: Dispatcher
  check(url: URL, signal: AbortSignal): Promise<void>
  now(): number
}

/** A response, and the size of its unpacked body. */
export interface SizedResponse extends Fetched {
  bytes: number
}

/** A failure that may be temporary and is worth one retry. `message` is the sentence if the retry fails too. */
export class TransientHttpError extends Error {
  override name = 'TransientHttpError'
  /** The server's Retry-After, in milliseconds. */
  readonly afterMs: number | undefined
  /** What is returned if the retry fails too. */
  readonly response: SizedResponse | undefined

  constructor(message: string, afterMs?: number, response?: SizedResponse) {
    super(message)
    this.afterMs = afterMs
    this.response = response
  }
}

/**
 * Makes the request, follows redirects, and reads the body up to its size limit.
 * @throws TransientHttpError for 429, 5xx and a broken connection; ToolError for a failure that a retry cannot fix
 */
export async function getOnce(request: GetRequest): Promise<SizedResponse> {
  const { fetch } = await import('undici')
  const { server, signal, dispatcher } = request
  let { headers, url: answering } = request
  const post = request.sent === undefined ? {} : { method: 'POST', body: request.sent }
  const response = await followRedirects<Response>(request.url, {
    async send(url) {
      await request.check(url, signal)
      answering = url
      return fetch(url, { headers, redirect: 'manual', signal, dispatcher, ...post })
    },
    follows(next, from) {
      if (request.sent !== undefined) return false
      if (!next) throw new ToolError(`${server} redirected to an invalid address.`)
      if (next.origin !== from.origin && !request.sharesHeaders) headers = withoutSecrets(headers)
      return true
    },
  })
  if (!response) throw new ToolError(`${server} redirects in a circle.`)
  return { ...(await receive(response, request)), url: answering.href }
}

/** 429 and 5xx may be temporary. Every other status is a response for the tool to interpret. */
async function receive(response: Response, request: GetRequest): Promise<SizedResponse> {
  if (response.status === 429 || response.status >= 500) {
    const read = request.readsBusy && response.status === 429 ? await bodyOf(response, request) : undefined
    if (!read) await discard(response)
    const what = response.status === 429 ? 'gets too many requests right now' : 'has an error right now'
    const sentence = `${request.server} ${what} (${response.status}).`
    throw new TransientHttpError(sentence, retryAfter(response, request.now()), read)
  }
  return bodyOf(response, request)
}

async function bodyOf(response: Response, request: GetRequest): Promise<SizedResponse> {
  const bytes = await readCapped(response.body, request.maxBytes)
  if (!bytes) throw new ToolError(`${request.server} sent more than ${sizeOf(request.maxBytes)}.`)
  const headers = Object.fromEntries(response.headers)
  const body = request.isBinary ? bytes.toString('latin1') : decode(bytes, headers['content-type'])
  return { status: response.status, headers, body, bytes: bytes.length }
}

function sizeOf(bytes: number): string {
  return bytes >= 1e6 ? `${Math.round(bytes / 1e6)} MB` : `${Math.round(bytes / 1e3)} kB`
}

/** Decodes with the server's charset, or as UTF-8 if it names none or an unknown one. */
function decode(bytes: Buffer, contentType = ''): string {
  const charset = /charset\s*=\s*"?([\w:.-]{1,40})/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** Parses Retry-After, which is in seconds or a date. */
function retryAfter(response: Response, now: number): number | undefined {
  const value = response.headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Drops the headers that may hold keys, because a redirect leads to another host. */
function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  const plain = ['accept', 'accept-language', 'user-agent']
  return Object.fromEntries(Object.entries(headers).filter(([key]) => plain.includes(key.toLowerCase())))
}
