import {
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type FetchLike,
  type Transport,
} from '@modelcontextprotocol/client'
import { settledWithin } from '../../base/async.ts'
import { ToolError } from '../../base/errors.ts'
import { isLogin } from './call-errors.ts'
import { CAPABILITIES, Elicitation } from '../elicitation/elicitation.ts'
import { StdioProcess } from './stdio-process.ts'
import type { HttpServerConfig, McpServerConfig, ServerLogin, StdioServerConfig } from '../types.ts'

/** A connected client. Over HTTP, since protocol 2026-07-28, connecting only finds out the server's version. */
export interface Connection {
  client: Client
  /** Calls its tools, and answers the server's requests during a call. */
  elicitation: Elicitation
  /** Whether the server keeps a session for us, as older ones over HTTP do. It may forget the session. */
  hasSession: boolean
  /** Subscribes to changes of the list of tools, if the protocol requires it, unless subscribed already. */
  listen(): void
  /** Returns a sentence that says why the connection is over, once it is. */
  fault(): string | undefined
  close(): Promise<void>
}

export interface ConnectDeps {
  /** For an HTTP server. */
  fetch?: FetchLike | undefined
  login?: ServerLogin | undefined
  onStderr(line: string): void
  /** Called with an error that does not end the connection, for the debug log. Its text may be the server's. */
  onFault(error: Error): void
  /** Called when the server says that its tools have changed. */
  onListChanged(): void
  /** Called when the connection has ended, from either side. */
  onClose(): void
  /** The running processes of all servers, which are killed if the bot's process ends without `close`. */
  processes: Set<StdioProcess>
  /** Aborted when the bot shuts down: nothing is started after that. */
  signal: AbortSignal
  /**
   * Whether the server is known to speak only the older protocol, so that it need not be probed. Set when that is
   * found.
   */
  era: { isOld?: boolean }
  /**
   * How long a server may be silent when probed in the newer protocol, before the older one is used. Milliseconds; 10 s
   * unless given.
   */
  probeMs?: number | undefined
}

/** How long a server may take to start and to initialize: a package may have to be installed first. Milliseconds. */
const START_MS = { stdio: 120_000, http: 20_000 }
const PROBE_MS = 10_000
const CLIENT = { name: 'thinkaloud', version: '0.1.0' }

/** @throws the errors of the SDK or the system; `sentenceOf` (call-errors.ts) turns them into sentences */
export async function connectServer(server: McpServerConfig, deps: ConnectDeps): Promise<Connection> {
  return server.kind === 'stdio' ? connectStdio(server, deps) : connectHttp(server, deps)
}

/**
 * Connects to a process. A server of the older protocol may end when it is probed in the newer one, which costs a
 * second start. The SDK would start a process of its own for the probe, without our bounds.
 */
async function connectStdio(server: StdioServerConfig, deps: ConnectDeps): Promise<Connection> {
  const attempt = async (isOld: boolean) => {
    const process = new StdioProcess(server, { ...deps, onEnd: () => deps.processes.delete(process) })
    deps.processes.add(process)
    try {
      return await open(process, { server, deps, isOld, timeoutMs: START_MS.stdio, fault: () => process.fault })
    } catch (error) {
      await process.close()
      deps.processes.delete(process)
      throw process.fault && !isNegotiation(error) ? new ToolError(process.fault, { isDown: true }) : error
    }
  }
  try {
    const connection = await attempt(deps.era.isOld ?? false)
    deps.era.isOld = connection.client.getProtocolEra() === 'legacy'
    return connection
  } catch (error) {
    if (deps.era.isOld || !isNegotiation(error) || deps.signal.aborted) throw error
    const connection = await attempt(true)
    deps.era.isOld = true
    return connection
  }
}

function isNegotiation(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed
}

/**
 * Opens Streamable HTTP. After any failure in the newer protocol, the older one is tried: its servers answer an unknown
 * method with errors, pages, or not at all. If a server does not know Streamable HTTP (4xx), HTTP+SSE is tried, as the
 * specification tells clients to.
 */
async function connectHttp(server: HttpServerConfig, deps: ConnectDeps): Promise<Connection> {
  const url = new URL(server.url)
  const options = { ...(deps.fetch ? { fetch: deps.fetch } : {}), ...(deps.login ? { authProvider: deps.login } : {}) }
  const opening = { server, deps, timeoutMs: START_MS.http }
  const openSse = () => open(new SSEClientTransport(url, options), { ...opening, isOld: true, isStream: true })
  const openStreamable = (isOld: boolean) =>
    open(new StreamableHTTPClientTransport(url, { ...options, onInsufficientScope: 'throw' }), { ...opening, isOld })
  if (server.sse) return openSse()
  const orSse = async (error: unknown) => {
    if (!knowsNoStreamableHttp(error)) throw error
    // If HTTP+SSE fails too, the first error says more.
    return await openSse().catch(() => {
      throw error
    })
  }
  if (deps.era.isOld) return await openStreamable(true).catch(orSse)
  try {
    return await openStreamable(false)
  } catch (error) {
    // The SDK has tried the older protocol itself.
    if (knowsNoStreamableHttp(error)) return await orSse(error)
    if (isLogin(error) || deps.login?.need?.() !== undefined || deps.signal.aborted) throw error
    const connection = await openStreamable(true).catch(orSse)
    // Probing again would cost another wait if the server does not answer at all.
    deps.era.isOld = true
    return connection
  }
}

function knowsNoStreamableHttp(error: unknown): boolean {
  return error instanceof SdkHttpError && [400, 404, 405].includes(error.status ?? 0)
}

interface ConnectAttempt {
  server: McpServerConfig
  deps: ConnectDeps
  isOld: boolean
  timeoutMs: number
  fault?(): string | undefined
  /** All answers come on one stream, so the connection is over when that breaks. */
  isStream?: boolean
}

async function open(transport: Transport, opening: ConnectAttempt): Promise<Connection> {
  const { server, deps, isOld, timeoutMs, fault, isStream } = opening
  const client = newClient(deps.probeMs)
  const elicitation = new Elicitation(client, server)
  const ended = new AbortController()
  client.onclose = () => {
    ended.abort(new ToolError(fault?.() ?? 'The connection was closed.', { isDown: true }))
    deps.onClose()
  }
  client.onerror = (error) => {
    deps.onFault(error)
    if (isStream && client.getProtocolEra() !== undefined) void client.close()
  }
  client.setNotificationHandler('notifications/tools/list_changed', () => deps.onListChanged())
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ended.signal, deps.signal])
  const prior = isOld ? { prior: { kind: 'legacy' as const } } : {}
  try {
    await client.connect(transport, { timeout: timeoutMs, signal, ...prior })
  } catch (error) {
    await transport.close().catch(() => {})
    throw error
  }
  return {
    client,
    elicitation,
    hasSession: transport.sessionId !== undefined,
    listen: changeSubscriber(client, deps),
    fault: () => fault?.(),
    close: () => close(client, transport),
  }
}

function newClient(timeoutMs = PROBE_MS): Client {
  return new Client(CLIENT, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode: 'auto', probe: { timeoutMs } },
    inputRequired: { autoFulfill: false },
    listMaxPages: 16,
  })
}

/**
 * Since 2026-07-28 a client subscribes to changes, on a stream that any proxy may cut off. Changes may be lost then, so
 * the list is fetched again, and the subscription renewed, when the list is next needed.
 * @returns the function that subscribes, unless it has subscribed already
 */
function changeSubscriber(client: Client, { onFault, onListChanged }: ConnectDeps): () => void {
  const isSupported =
    client.getProtocolEra() === 'modern' && client.getServerCapabilities()?.tools?.listChanged === true
  let isListening = false
  const listen = async () => {
    const { closed } = await client.listen({ toolsListChanged: true })
    if ((await closed) !== 'local') onListChanged()
  }
  return () => {
    if (!isSupported || isListening) return
    isListening = true
    const failed = (error: unknown) => onFault(error instanceof Error ? error : new Error('no news'))
    void listen()
      .catch(failed)
      .finally(() => (isListening = false))
  }
}

/** Ends the server's session, if it has one for us. */
async function close(client: Client, transport: Transport): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined)
    await settledWithin(CLOSE_MS, [transport.terminateSession()])
  await client.close().catch(() => {})
  await transport.close().catch(() => {})
}

const CLOSE_MS = 1_000
