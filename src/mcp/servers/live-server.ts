import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client'
import { untilAborted } from '../../base/http/shared-work.ts'
import type { Connection } from './connection.ts'
import { listPages } from './list-pages.ts'
import { ServerLink, type LinkDeps } from './server-link.ts'
import { callTool } from '../tools/tool-call.ts'
import type {
  CallOptions,
  CallResult,
  McpServer,
  McpServerConfig,
  ServerStatus,
  ServerTool,
  ServerTools,
} from '../types.ts'

/** Timeout for all pages of a list together, in ms. */
const LIST_MS = 30_000
/** How long a list is cached if the server does not say, and at most, in ms. */
const KEPT_MS = { unsaid: 300_000, most: 86_400_000 }

/** The state of an open call. */
interface Attempt {
  connection?: Connection
  /** It may have reached the server. */
  isSent: boolean
}

/** One server of MCP_CONFIG. */
export class LiveServer implements McpServer {
  readonly config: McpServerConfig
  readonly #link: ServerLink
  readonly #now: () => number
  #kept: { tools: ServerTools; until: number } | undefined
  #listing: Promise<ServerTools> | undefined
  /** How often the server has reported a changed list. */
  #changes = 0

  constructor(config: McpServerConfig, deps: LinkDeps) {
    this.config = config
    this.#now = deps.now
    this.#link = new ServerLink(config, deps, () => {
      this.#changes += 1
      if (this.#kept) this.#kept.until = 0
    })
  }

  status(): ServerStatus {
    return this.#link.status()
  }

  async list(signal: AbortSignal, { isFresh = false } = {}): Promise<ServerTools> {
    signal.throwIfAborted()
    if (!isFresh && this.#kept && this.#kept.until > this.#now()) return this.#kept.tools
    // A listing in progress may have been answered before the change.
    if (isFresh && this.#listing)
      await untilAborted(
        this.#listing.catch(() => {}),
        signal,
      )
    this.#listing ??= this.#listAnew().finally(() => (this.#listing = undefined))
    const from = this.#now()
    return untilAborted(this.#listing, signal).catch((error: unknown) => {
      throw isTimeUp(error) ? this.#link.sentence(error, { timeoutMs: this.#now() - from }) : error
    })
  }

  async call(tool: string, args: Record<string, unknown>, options: CallOptions): Promise<CallResult> {
    const { signal, timeoutMs } = options
    signal.throwIfAborted()
    const timeUp = AbortSignal.timeout(timeoutMs)
    const attempt: Attempt = { isSent: false }
    try {
      const ending = { ...options, signal: AbortSignal.any([signal, timeUp]) }
      const result = await this.#attempt({ tool, args, options: ending, attempt })
      this.#link.note(undefined)
      return result
    } catch (error) {
      signal.throwIfAborted()
      const sentence = this.#link.sentence(error, {
        timeoutMs,
        isSent: attempt.isSent,
        fault: attempt.connection?.fault(),
      })
      // One slow tool does not mean that the server is down.
      if (!timeUp.aborted) this.#link.note(sentence)
      throw sentence
    }
  }

  close(): Promise<void> {
    return this.#link.close()
  }

  /** Retries a call once if the server rejected it unprocessed (lost session, missing header). */
  async #attempt(call: {
    tool: string
    args: Record<string, unknown>
    options: CallOptions
    attempt: Attempt
  }): Promise<CallResult> {
    const { tool, args, options, attempt } = call
    for (let isSecond = false; ; isSecond = true) {
      const connection = await untilAborted(this.#link.connected(), options.signal)
      Object.assign(attempt, { connection, isSent: true })
      const listed = this.#kept?.tools.tools.find(({ name }) => name === tool) ?? unlisted(tool)
      try {
        const named = { name: this.config.name, tool, args, listed, hide: this.#link.hide() }
        return await callTool(connection.elicitation, named, options)
      } catch (error) {
        if (isSecond || !isRefused(error, connection)) throw error
        attempt.isSent = false
        if (error instanceof SdkHttpError) await this.#link.drop(connection)
        await (options.recheck?.() ?? this.list(options.signal, { isFresh: true }))
      }
    }
  }

  async #listAnew(): Promise<ServerTools> {
    const signal = AbortSignal.timeout(LIST_MS)
    const { name } = this.config
    for (let isSecond = false; ; isSecond = true) {
      const connection = await this.#link.connected()
      const [asked, changes] = [this.#now(), this.#changes]
      connection.listen()
      try {
        const limits = { signal, timeoutMs: LIST_MS, name, hide: this.#link.hide() }
        const { list, ttlMs = KEPT_MS.unsaid } = await listPages(connection.client, limits)
        this.#link.note(undefined)
        const kept = changes === this.#changes ? Math.min(Math.max(0, ttlMs), KEPT_MS.most) : 0
        this.#kept = { tools: list, until: asked + kept }
        return list
      } catch (error) {
        if (isSecond || !isRefused(error, connection)) {
          const sentence = this.#link.sentence(error, { timeoutMs: LIST_MS, fault: connection.fault() })
          this.#link.note(sentence)
          throw sentence
        }
        await this.#link.drop(connection)
      }
    }
  }
}

/** Returns whether a caller's timeout fired. The agent loop reports its own deadline itself (agent/act.ts). */
function isTimeUp(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/**
 * A stand-in definition. Without one the SDK would list tools itself and validate results, which is up to the server.
 */
function unlisted(name: string): ServerTool {
  return { name, description: '', inputSchema: { type: 'object' }, annotations: {} }
}

/** The protocol's code for arguments that should also have been sent as headers. */
const HEADER_MISMATCH = -32020

/**
 * Returns whether a server rejected a call unprocessed. A lost session is a 404, or a 400 that mentions the session.
 */
function isRefused(error: unknown, { hasSession }: Connection): boolean {
  if (error instanceof ProtocolError) return error.code === HEADER_MISMATCH
  if (!(error instanceof SdkHttpError) || !hasSession) return false
  return error.status === 404 || (error.status === 400 && /session/i.test(String(error.data.text)))
}
