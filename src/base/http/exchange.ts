import type { Dispatcher, Response } from 'undici'
import type { Fetched } from './tool-fetch.ts'
import { ToolError } from '../errors.ts'

/** One GET as it is to be made. `check` rejects for an address that may not be called; every hop passes it. */
export interface Exchange {
  name: string
  url: URL
  headers: Record<string, string>
  maxBytes: number
  signal: AbortSignal
  dispatcher: Dispatcher
  check(url: URL, signal: AbortSignal): Promise<void>
  now(): number
}

/** An answer, and how many bytes its body had once unpacked. */
export interface Received extends Fetched {
  bytes: number
}

/** Something that may be over in a moment: worth one more try. `message` is the sentence for when it is not. */
export class Passing extends Error {
  override name = 'Passing'
  /** What the server asks for in Retry-After, in milliseconds. */
  readonly afterMs: number | undefined

  constructor(message: string, afterMs?: number) {
    super(message)
    this.afterMs = afterMs
  }
}

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]

/**
 * Makes the request, follows redirects by hand, and reads the body as far as it may go.
 * @throws Passing for 429, 5xx and a broken connection; ToolError for what another try would not mend.
 */
export async function exchange(request: Exchange): Promise<Received> {
  const { fetch } = await import('undici')
  let { url, headers } = request
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    await request.check(url, request.signal)
    const response = await fetch(url, {
      headers,
      redirect: 'manual',
      signal: request.signal,
      dispatcher: request.dispatcher,
    })
    const location = response.headers.get('location')
    if (!REDIRECTS.includes(response.status) || location === null) return receive(response, request)
    await discard(response)
    const next = locate(location, url, request.name)
    if (next.origin !== url.origin) headers = withoutSecrets(headers)
    url = next
  }
  throw new ToolError(`${request.name} sent the request round in circles.`)
}

/** 429 and 5xx may pass; every other status is an answer, whose meaning the tool knows. */
async function receive(response: Response, request: Exchange): Promise<Received> {
  if (response.status === 429 || response.status >= 500) {
    await discard(response)
    const what = response.status === 429 ? 'is asked too often just now' : 'has a fault just now'
    throw new Passing(`${request.name} ${what} (${response.status}).`, retryAfter(response, request.now()))
  }
  const bytes = await readCapped(response, request)
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: decode(bytes, headers['content-type']), bytes: bytes.length }
}

/** Stops reading, and with it the download, at the cap; a compressed body is counted as it is unpacked. */
async function readCapped(response: Response, request: Exchange): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > request.maxBytes) throw new ToolError(`${request.name} sent more than ${sizeOf(request.maxBytes)}.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function sizeOf(bytes: number): string {
  return bytes >= 1e6 ? `${Math.round(bytes / 1e6)} MB` : `${Math.round(bytes / 1e3)} kB`
}

/** The charset that the server names, UTF-8 where it names none or one that nobody knows. */
function decode(bytes: Buffer, contentType = ''): string {
  const charset = /charset\s*=\s*"?([\w:.-]{1,40})/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** Retry-After comes as seconds or as a date. */
function retryAfter(response: Response, now: number): number | undefined {
  const value = response.headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function locate(location: string, base: URL, name: string): URL {
  if (!URL.canParse(location, base.href)) throw new ToolError(`${name} sent the request on to an address that is none.`)
  return new URL(location, base)
}

/** Another host gets no key that was meant for the first. */
function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  const plain = ['accept', 'accept-language', 'user-agent']
  return Object.fromEntries(Object.entries(headers).filter(([key]) => plain.includes(key.toLowerCase())))
}

/** Lets go of a body that nobody will read, so that its connection is free again. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
}
