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
import { ToolError } from '../../base/errors.ts'
import { isLogin } from './call-errors.ts'
import { CAPABILITIES, Elicitation } from '../elicitation/elicitation.ts'
import { StdioProcess } from './stdio-process.ts'
import type { HttpServerConfig, McpServerConfig, ServerLogin, StdioServerConfig } from '../types.ts'

/** A client that is connected. Over HTTP, since 2026-07-28, that is no more than to know the server's version. */
export interface Connection {
  client: Client
  /** Calls its tools, and answers what the server asks meanwhile. */
  elicitation: Elicitation
  /** Whether the server keeps a session for us, as older ones over HTTP do: it may forget it. */
  hasSession: boolean
  /** Asks to be told when the list of tools changes, where that has to be asked for and is not yet. */
  listen(): void
  /** A sentence, once it is over: why. */
  fault(): string | undefined
  close(): Promise<void>
}

export interface ConnectDeps {
  /** Of an HTTP server. */
  fetch?: FetchLike | undefined
  login?: ServerLogin | undefined
  onStderr(line: string): void
  /** A fault that ends nothing, for the log at debug; its words may be the server's. */
  onFault(error: Error): void
  /** The server says that its tools have changed. */
  onListChanged(): void
  /** The connection is over, whoever ended it. */
  onClose(): void
  /** Those of all servers that run: they are ended when the bot's process ends without `close`. */
  processes: Set<StdioProcess>
  /** Aborted when the bot ends: nothing is started after that. */
  signal: AbortSignal
  /** Whether the server is known to speak the older protocol alone, so that it need not be asked; set when that is found. */
  era: { isOld?: boolean }
  /** How long a server may be silent when asked in the newer protocol, before it is spoken to in the older one; 10 s unless given. */
  probeMs?: number | undefined
}

/** How long a server may take to start and to say hello: a package may have to be installed first. */
const START_MS = { stdio: 120_000, http: 20_000 }
const PROBE_MS = 10_000
const CLIENT = { name: 'thinkaloud', version: '0.1.0' }

/** @throws whatever the SDK or the system throws; `sentenceOf` (call-errors.ts) says it in words */
export async function connect(server: McpServerConfig, deps: ConnectDeps): Promise<Connection> {
  return server.kind === 'stdio' ? connectStdio(server, deps) : connectHttp(server, deps)
}

/**
 * A server of the older protocol may end when it is asked in the newer one, which costs a second start. The SDK would ask a process
 * of its own for that, without our bounds.
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
 * Opens Streamable HTTP. Whatever goes wrong when the server is asked in the newer protocol, it is then spoken to in the older one:
 * servers of that answer an unknown method with faults, pages, or not at all. Where a server knows nothing of Streamable HTTP (4xx),
 * HTTP+SSE is tried, as the specification has it for clients.
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
    // Where that is not there either, the first answer says more.
    return await openSse().catch(() => {
      throw error
    })
  }
  if (deps.era.isOld) return await openStreamable(true).catch(orSse)
  try {
    return await openStreamable(false)
  } catch (error) {
    // The SDK has tried the older protocol by itself.
    if (knowsNoStreamableHttp(error)) return await orSse(error)
    if (isLogin(error) || deps.login?.need?.() !== undefined || deps.signal.aborted) throw error
    const connection = await openStreamable(true).catch(orSse)
    // Asking again would cost another wait where the server does not answer the question at all.
    deps.era.isOld = true
    return connection
  }
}

function knowsNoStreamableHttp(error: unknown): boolean {
  return error instanceof SdkHttpError && [400, 404, 405].includes(error.status ?? 0)
}

interface Opening {
  server: McpServerConfig
  deps: ConnectDeps
  isOld: boolean
  timeoutMs: number
  fault?(): string | undefined
  /** All answers come on one stream: nothing is left when it breaks. */
  isStream?: boolean
}

async function open(transport: Transport, opening: Opening): Promise<Connection> {
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
    listen: newsOf(client, deps),
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
 * Since 2026-07-28 a client asks for news, on a stream that may be cut off by whatever lies between. Then nobody knows what it would
 * have brought: the list is asked for anew when it is next needed, and so is the news.
 * @returns what asks, unless it has been asked
 */
function newsOf(client: Client, { onFault, onListChanged }: ConnectDeps): () => void {
  const isOffered = client.getProtocolEra() === 'modern' && client.getServerCapabilities()?.tools?.listChanged === true
  let isListening = false
  const listen = async () => {
    const { closed } = await client.listen({ toolsListChanged: true })
    if ((await closed) !== 'local') onListChanged()
  }
  return () => {
    if (!isOffered || isListening) return
    isListening = true
    const failed = (error: unknown) => onFault(error instanceof Error ? error : new Error('no news'))
    void listen()
      .catch(failed)
      .finally(() => (isListening = false))
  }
}

/** Tells the server that its session is over, where it has one for us. */
async function close(client: Client, transport: Transport): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined)
    await Promise.race([transport.terminateSession().catch(() => {}), elapsed(CLOSE_MS)])
  await client.close().catch(() => {})
  await transport.close().catch(() => {})
}

const CLOSE_MS = 1_000

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
