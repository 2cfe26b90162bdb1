/** The HTTP of remote servers: hosts, headers and sizes. Time limits are the caller's: requests carry a signal. */
import type { FetchLike } from '@modelcontextprotocol/client'
import type { Dispatcher } from 'undici'
import { ToolError } from '../../base/errors.ts'
import { literalAddress, reachOf } from '../../base/http/address-reach.ts'
import type { Agents, Resolve } from '../../base/http/connection-pools.ts'
import { followRedirects } from '../../base/http/response-limits.ts'
import { checkAddress, checkName } from '../../base/http/check-address.ts'
import { createTransportFetch } from '../../base/http/transport-fetch.ts'
import { createIntake, messageCounter, type Intake } from './bounded-body.ts'
import { requestId, withAnswer } from './event-answer.ts'
import { markMessages, unmarkRequest } from './exact-messages.ts'
import type { HttpServerConfig } from '../types.ts'

interface FetchDeps {
  /** The tools' connections: `inside` for the server's own origin, `outside` for all others. */
  agents: Agents
  /** Set if a proxy resolves names: our own DNS is checked first. */
  resolve?: Resolve | undefined
}

type McpRequestInit = Parameters<FetchLike>[1]

const USER_AGENT = 'Thinkaloud/0.1 (self-hosted Slack bot)'
const BODILESS = [101, 204, 205, 304]

/**
 * Returns the fetch of one connection to a server. It calls only the server's own origin, private or not, follows
 * redirects within it, and caps sizes. The config's headers are added to the SDK's, which win. Cancelling a call ends
 * its request.
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
    if (init?.method === 'POST') intake.restart()
    const ending = new AbortController()
    if (message.id !== undefined) pending.set(message.id, ending)
    const done = () => (message.id === undefined ? false : pending.delete(message.id))
    const signal = init?.signal ? AbortSignal.any([init.signal, ending.signal]) : ending.signal
    const exchange = { name: server.name, dispatcher: deps.agents.inside, intake, done, answers: message.id }
    try {
      return await follow(url, { ...init, headers, signal }, exchange)
    } catch (error) {
      done()
      throw error
    }
  }
}

/**
 * Returns the fetch for a server's login. It calls the server's origin as `serverFetch` does, and any public address
 * without the config's headers. Redirects are followed within an origin.
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
  /** The id of the request that an event stream answers. A stream that breaks off answers it with an error. */
  answers?: string | undefined
  /** Called at the end of the body. */
  done(): void
}

/** Addresses of cloud metadata and the like are always refused. */
function checkedOwn(server: HttpServerConfig, url: URL): URL {
  const literal = literalAddress(url.hostname)
  const isOwn = url.origin === new URL(server.url).origin && url.username === '' && url.password === ''
  if (!isOwn) throw new ToolError(`${server.name} redirected to an address other than the one in MCP_CONFIG.`)
  if (literal !== undefined && reachOf(literal) === 'never')
    throw new ToolError(`${server.name} has an address in MCP_CONFIG that is not allowed.`)
  return url
}

function withDefaults(headers: Headers, defaults: Record<string, string>): Headers {
  for (const [name, value] of Object.entries(defaults)) if (!headers.has(name)) headers.set(name, value)
  return headers
}

interface PreparedInit extends NonNullable<McpRequestInit> {
  headers: Headers
}

/** Follows redirects that keep the origin and the method, unless the SDK does so itself. @throws ToolError */
async function follow(address: URL, init: PreparedInit, parts: ExchangeParts): Promise<Response> {
  const response = await followRedirects<Response>(address, {
    send: (url) => send(url, init, parts),
    follows(next, from, { status }) {
      const keepsMethod = status >= 307 || (init.method ?? 'GET') === 'GET'
      return keepsMethod && next?.origin === from.origin && init.redirect !== 'manual'
    },
  })
  if (!response) throw new ToolError(`${parts.name} redirects in a circle.`)
  return response
}

async function send(url: URL, init: PreparedInit, parts: ExchangeParts): Promise<Response> {
  const response = await createTransportFetch(parts.dispatcher)(url, {
    method: init.method ?? 'GET',
    body: requestText(init.body, init.headers),
    headers: withDefaults(init.headers, { 'accept-encoding': 'gzip, deflate' }),
    signal: init.signal ?? null,
    redirect: 'manual',
  })
  const { status, statusText } = response
  const headers = new Headers([...response.headers])
  const body = BODILESS.includes(status) || !response.body ? null : boundedBody(response.body, headers, parts)
  if (!body) parts.done()
  return new Response(body, { status, statusText, headers })
}

function requestText(body: NonNullable<McpRequestInit>['body'], headers: Headers): string | null {
  if (body === undefined || body === null) return null
  if (typeof body === 'string') return unmarkRequest(body, headers)
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('Only text can be sent.')
}

/** An abort or a cap ends the download. An event stream that is cut off answers its request with the error. */
function boundedBody(
  body: AsyncIterable<Uint8Array>,
  headers: Headers,
  parts: ExchangeParts,
): ReadableStream<Uint8Array> {
  const isEvents = /^\s*text\/event-stream\b/i.test(headers.get('content-type') ?? '')
  const counted = countedChunks(body, messageCounter(parts.name, isEvents, parts.intake), parts.done)
  const answered = isEvents && parts.answers !== undefined ? withAnswer(counted, parts.name, parts.answers) : counted
  const chunks = markMessages(answered, isEvents)
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
