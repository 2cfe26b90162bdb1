/**
 * The HTTP of remote servers: limits hosts, headers and sizes. Timeouts are up to the caller, through the request's
 * signal.
 */
import type { FetchLike } from '@modelcontextprotocol/client'
import type { Dispatcher } from 'undici'
import { ToolError } from '../../base/errors.ts'
import { literalAddress, reachOf } from '../../base/http/address.ts'
import type { Agents, Resolve } from '../../base/http/agents.ts'
import { checkAddress, checkName } from '../../base/http/check-address.ts'
import { createTransportFetch } from '../../base/http/transport-fetch.ts'
import { createIntake, messageCounter, type Intake } from './bounded-body.ts'
import { requestId, withAnswer } from './event-answer.ts'
import type { HttpServerConfig } from '../types.ts'

export interface FetchDeps {
  /** The tools' connections: `inside` for the server's own origin, `outside` for all others. */
  agents: Agents
  /** Set if a proxy resolves names: our own DNS is checked first. */
  resolve?: Resolve | undefined
}

type Init = Parameters<FetchLike>[1]

const USER_AGENT = 'Thinkaloud/0.1 (self-hosted Slack bot)'
const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const BODILESS = [101, 204, 205, 304]

/**
 * Creates the fetch of one connection to a server. It allows only the server's own origin, private or not, follows
 * redirects within it, and caps sizes. The config's headers are added, but the SDK's headers win. Cancelling a call
 * ends its request.
 * @throws ToolError
 */
export function serverFetch(server: HttpServerConfig, deps: FetchDeps): FetchLike {
  const intake = createIntake(server.name)
  const pending = new Map<string, AbortController>()
  return async (address, init) => {
    const url = checkedOwn(server, new URL(address))
    const headers = withDefaults(new Headers(init?.headers), { ...server.headers, 'user-agent': USER_AGENT })
    const message = requestId(init?.body)
    if (message.cancels !== undefined) pending.get(message.cancels)?.abort(new Error('the call was cancelled'))
    if (init?.method === 'POST') intake.asked()
    const ending = new AbortController()
    if (message.id !== undefined) pending.set(message.id, ending)
    const done = () => (message.id === undefined ? false : pending.delete(message.id))
    const signal = init?.signal ? AbortSignal.any([init.signal, ending.signal]) : ending.signal
    const exchange = { ...{ name: server.name, dispatcher: deps.agents.inside, intake, done }, answers: message.id }
    try {
      return await follow(url, { ...init, headers, signal }, exchange)
    } catch (error) {
      done()
      throw error
    }
  }
}

/**
 * Creates the fetch for a server's login: the server's origin as above, plus any public address, which never gets the
 * config's headers. Redirects must stay on the same origin.
 * @throws ToolError
 */
export function authFetch(server: HttpServerConfig, deps: FetchDeps): FetchLike {
  const own = serverFetch(server, deps)
  return async (address, init) => {
    const url = new URL(address)
    if (url.origin === new URL(server.url).origin) return own(url, init)
    const name = `The login of ${server.name}`
    checkAddress(url, { name })
    if (deps.resolve) await checkName(url, deps.resolve, init?.signal ?? new AbortController().signal)
    const headers = withDefaults(new Headers(init?.headers), { 'user-agent': USER_AGENT })
    return follow(
      url,
      { ...init, headers },
      { name, dispatcher: deps.agents.outside, intake: createIntake(name), done() {} },
    )
  }
}

interface ExchangeParts {
  name: string
  dispatcher: Dispatcher
  intake: Intake
  /** The id of the request. An event stream that breaks off answers it with an error. */
  answers?: string | undefined
  /** Called after the last byte. */
  done(): void
}

/** Cloud metadata addresses and the like are rejected even if MCP_CONFIG names them. */
function checkedOwn(server: HttpServerConfig, url: URL): URL {
  const literal = literalAddress(url.hostname)
  const isOwn = url.origin === new URL(server.url).origin && url.username === '' && url.password === ''
  if (!isOwn) throw new ToolError(`${server.name} sent a request on to another address than MCP_CONFIG has for it.`)
  if (literal !== undefined && reachOf(literal) === 'never')
    throw new ToolError(`${server.name} has an address in MCP_CONFIG that may not be called.`)
  return url
}

function withDefaults(headers: Headers, defaults: Record<string, string>): Headers {
  for (const [name, value] of Object.entries(defaults)) if (!headers.has(name)) headers.set(name, value)
  return headers
}

type Sent = NonNullable<Init> & { headers: Headers }

/** Follows redirects that keep the origin and the method, unless the SDK handles redirects itself. */
async function follow(address: URL, init: Sent, parts: ExchangeParts): Promise<Response> {
  let url = address
  for (let hop = 0; ; hop += 1) {
    const response = await send(url, init, parts)
    const location = response.headers.get('location')
    const next = location !== null && URL.canParse(location, url.href) ? new URL(location, url) : undefined
    const keeps = response.status >= 307 || (init.method ?? 'GET') === 'GET'
    const isFollowed = REDIRECTS.includes(response.status) && keeps && next?.origin === url.origin
    if (!next || !isFollowed || init.redirect === 'manual' || hop === MAX_REDIRECTS) return response
    await response.body?.cancel()
    url = next
  }
}

async function send(url: URL, init: Sent, parts: ExchangeParts): Promise<Response> {
  const response = await createTransportFetch(parts.dispatcher)(url, {
    method: init.method ?? 'GET',
    headers: withDefaults(init.headers, { 'accept-encoding': 'gzip, deflate' }),
    body: textOf(init.body),
    signal: init.signal ?? null,
    redirect: 'manual',
  })
  const { status, statusText } = response
  const headers = new Headers([...response.headers])
  const body = BODILESS.includes(status) || !response.body ? null : boundedBody(response.body, headers, parts)
  if (!body) parts.done()
  return new Response(body, { status, statusText, headers })
}

function textOf(body: NonNullable<Init>['body']): string | null {
  if (body === undefined || body === null) return null
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString()
  throw new TypeError('Only text can be sent.')
}

/** An abort or a size cap ends the download. An event stream that is cut off answers its request with an error. */
function boundedBody(
  body: AsyncIterable<Uint8Array>,
  headers: Headers,
  parts: ExchangeParts,
): ReadableStream<Uint8Array> {
  const isEvents = /^\s*text\/event-stream\b/i.test(headers.get('content-type') ?? '')
  const counted = countedChunks(body, messageCounter(parts.name, isEvents, parts.intake), parts.done)
  const chunks = isEvents && parts.answers !== undefined ? withAnswer(counted, parts.name, parts.answers) : counted
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
}

async function* countedChunks(
  body: AsyncIterable<Uint8Array>,
  count: (chunk: Uint8Array) => void,
  done: () => void,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    for await (const chunk of body) {
      count(chunk)
      yield chunk
    }
  } finally {
    done()
  }
  return undefined
}
