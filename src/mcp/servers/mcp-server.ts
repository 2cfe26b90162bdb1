import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client'
import type { Log } from '../../base/log.ts'
import { untilAborted } from '../../base/http/shared-work.ts'
import type { Connection } from './connection.ts'
import { listPages } from './list-pages.ts'
import { ConnectionKeeper, type KeeperDeps } from './connection-keeper.ts'
import { callMcpTool } from '../tools/call-mcp-tool.ts'
import type { ToolCallOptions, CallResult, McpServerConfig, ServerStatus, ServerTool, ServerTools } from '../types.ts'

/** The time limit for all pages of a list together. Milliseconds. */
const LIST_MS = 30_000
/** How long a list is kept: by default, and at most. Milliseconds. */
const KEPT_MS = { default: 300_000, max: 86_400_000 }

/** A call under way. */
interface CallAttempt {
  connection?: Connection
  /** The call may have reached the server. */
  isSent: boolean
}

/**
 * One server of MCP_CONFIG. Its connection is opened when first needed and shared by all calls; a call is one request.
 */
export class McpServer {
  readonly config: McpServerConfig
  readonly #link: ConnectionKeeper
  readonly #log: Log
  readonly #now: () => number
  #cached: { tools: ServerTools; until: number } | undefined
  #listing: Promise<ServerTools> | undefined
  /** How often the server has reported a change of its list. */
  #changes = 0

  constructor(config: McpServerConfig, deps: KeeperDeps) {
    this.config = config
    this.#log = deps.log
    this.#now = deps.now
    this.#link = new ConnectionKeeper(config, deps, () => {
      this.#changes += 1
      if (this.#cached) this.#cached.until = 0
    })
  }

  status(): ServerStatus {
    return this.#link.status()
  }

  /**
   * Returns all pages of the server's tools. They are cached for as long as the server says, or until it reports a
   * change; `isFresh` fetches them now. @throws ToolError; `isDown` says that the server could not be reached
   */
  async list(signal: AbortSignal, { isFresh = false } = {}): Promise<ServerTools> {
    signal.throwIfAborted()
    if (!isFresh && this.#cached && this.#cached.until > this.#now()) return this.#cached.tools
    // A listing that is under way may have been answered before the change.
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

  /**
   * Calls a tool by the server's own name for it. @throws ToolError with a sentence for the model: the server's error
   * message, or the reason why there is no answer
   */
  async call(tool: string, args: Record<string, unknown>, options: ToolCallOptions): Promise<CallResult> {
    const { signal, timeoutMs } = options
    signal.throwIfAborted()
    const timeUp = AbortSignal.timeout(timeoutMs)
    const attempt: CallAttempt = { isSent: false }
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

  /**
   * Makes a call, and repeats it once if the server refused it without looking at it (its session is gone, or a header
   * is missing).
   */
  async #attempt(call: {
    tool: string
    args: Record<string, unknown>
    options: ToolCallOptions
    attempt: CallAttempt
  }): Promise<CallResult> {
    const { tool, args, options, attempt } = call
    for (let isSecond = false; ; isSecond = true) {
      const connection = await untilAborted(this.#link.connected(), options.signal)
      Object.assign(attempt, { connection, isSent: true })
      const listed = this.#cached?.tools.tools.find(({ name }) => name === tool) ?? unlisted(tool)
      try {
        const named = { name: this.config.name, tool, args, listed, hide: this.#link.hide() }
        return await callMcpTool(connection.elicitation, named, options)
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
      const [startedAt, changes] = [this.#now(), this.#changes]
      connection.listen()
      try {
        const onRepeat = () =>
          this.#log.warn({ server: name }, 'MCP server repeats its list of tools: what was read is kept')
        const limits = { signal, timeoutMs: LIST_MS, name, hide: this.#link.hide(), onRepeat }
        const { list, ttlMs = KEPT_MS.default } = await listPages(connection.client, limits)
        this.#link.note(undefined)
        const keepMs = changes === this.#changes ? Math.min(Math.max(0, ttlMs), KEPT_MS.max) : 0
        this.#cached = { tools: list, until: startedAt + keepMs }
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

/** Returns whether a caller's time was up. The loop reports its own deadline itself (agent/act.ts). */
function isTimeUp(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** Stands in for a definition. Without one, the SDK would list the tools itself and check results by their schemas. */
function unlisted(name: string): ServerTool {
  return { name, description: '', inputSchema: { type: 'object' }, annotations: {} }
}

/** The protocol's code for arguments that should also have been sent as headers. */
const HEADER_MISMATCH = -32020

/**
 * Returns whether a server says that it did not look at a call. A forgotten session is 404, or 400 with a word about
 * it.
 */
function isRefused(error: unknown, { hasSession }: Connection): boolean {
  if (error instanceof ProtocolError) return error.code === HEADER_MISMATCH
  if (!(error instanceof SdkHttpError) || !hasSession) return false
  return error.status === 404 || (error.status === 400 && /session/i.test(String(error.data.text)))
}
