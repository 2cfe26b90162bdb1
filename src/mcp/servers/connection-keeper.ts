import type { FetchLike } from '@modelcontextprotocol/client'
import { backoffMs } from '../../base/backoff.ts'
import { ToolError } from '../../base/errors.ts'
import { oncePerMinute, type Log } from '../../base/log.ts'
import { isLoginNeeded, sentenceOf, type McpFailure } from './call-errors.ts'
import { connectServer, type ConnectDeps, type Connection } from './connection.ts'
import { hideSecrets, type Hide } from '../tools/hide-config-secrets.ts'
import type { StdioProcess } from './stdio-process.ts'
import { hasOwnAuthorization, type McpServerConfig, type ServerLogin, type ServerStatus } from '../types.ts'
import { isPersonal as isPersonalServer } from '../login/whose-login.ts'

export interface KeeperDeps {
  log: Log
  /** Milliseconds since the epoch. */
  now(): number
  /** The login of a remote server. */
  login?: ServerLogin | undefined
  /** Returns the fetch of a connection; undefined for a stdio server. */
  fetchOf(): Promise<FetchLike | undefined>
  /** The running stdio servers. */
  processes: Set<StdioProcess>
  /** See `ConnectDeps`. */
  probeMs?: number | undefined
}

/**
 * The pauses before a stdio server that has ended is started again; after the first end it starts at once.
 * Milliseconds.
 */
const RESTART = { base: 1_000, max: 60_000 }
/** A server that ends after this long counts as ending for the first time. Milliseconds. */
const STEADY_MS = 60_000
/** The maximum number of stderr lines in the log per minute. */
const MAX_LINES = 200

/** Keeps the connection to a server: opens it on first use, shares it, and reopens it when it is needed again. */
export class ConnectionKeeper {
  readonly #config: McpServerConfig
  readonly #deps: KeeperDeps
  readonly #onListChanged: () => void
  readonly #oncePerMinute: (kind: string) => number | undefined
  readonly #era: ConnectDeps['era'] = {}
  readonly #stderr = { lines: 0, since: 0 }
  readonly #restart = { ends: 0, notBefore: 0 }
  #opening: Promise<Connection> | undefined
  #isUp = false
  readonly #closing = new AbortController()
  #down: ToolError | undefined
  #hiding: { of: string; hide: Hide } | undefined

  constructor(config: McpServerConfig, deps: KeeperDeps, onListChanged: () => void) {
    this.#config = config
    this.#deps = deps
    this.#onListChanged = onListChanged
    this.#oncePerMinute = oncePerMinute(deps.now)
  }

  status(): ServerStatus {
    const need = this.#deps.login?.need?.()
    if (need !== undefined) return { state: 'needs-login', why: need }
    if (this.#down) return { state: isLoginNeeded(this.#down) ? 'needs-login' : 'down', why: this.#down.message }
    return { state: this.#isUp ? 'up' : 'idle' }
  }

  /** Returns the connection. Callers share one attempt at a time. @throws ToolError */
  connected(): Promise<Connection> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  /** Records the result of the last request to a remote server, because each request is its own connection. */
  note(failure: ToolError | undefined): void {
    if (this.#config.kind === 'http' && (!failure || failure.isDown)) this.#down = failure
  }

  /** Closes a useless connection. The next call opens another. */
  async drop(connection: Connection): Promise<void> {
    this.#opening = undefined
    this.#isUp = false
    await connection.close()
  }

  /** Closes the connection. Nothing is started after this. */
  async close(): Promise<void> {
    this.#closing.abort(new ToolError(`${this.#config.name} was stopped with the bot.`, { isDown: true }))
    const opening = this.#opening
    // Close does not wait for a server that is still starting.
    for (const process of this.#deps.processes)
      if (process.name === this.#config.name && !this.#isUp) await process.close()
    const connection = await opening?.catch(() => undefined)
    if (connection) await this.drop(connection)
  }

  /** Returns the function that removes the secrets of MCP_CONFIG and of the login from texts. */
  hide(): Hide {
    const secrets = [...this.#config.secrets, ...(this.#deps.login?.secrets?.() ?? [])]
    const of = JSON.stringify(secrets)
    if (this.#hiding?.of !== of) this.#hiding = { of, hide: hideSecrets(secrets) }
    return this.#hiding.hide
  }

  sentence(error: unknown, failing: Omit<McpFailure, 'name' | 'hide'>): ToolError {
    const { name } = this.#config
    const hasKey = this.#config.kind === 'http' && hasOwnAuthorization(this.#config)
    const isPersonal = isPersonalServer(this.#config)
    return sentenceOf(error, { ...failing, name, hasKey, isPersonal, hide: this.hide() })
  }

  async #open(): Promise<Connection> {
    const { name } = this.#config
    const { log, now, fetchOf, processes, probeMs } = this.#deps
    this.#closing.signal.throwIfAborted()
    const wait = Math.ceil((this.#restart.notBefore - now()) / 1_000)
    if (wait > 0)
      throw new ToolError(`${name} keeps ending. The next start is in ${wait} s at the earliest.`, { isDown: true })
    const begun = now()
    let ending: () => void = () => {}
    try {
      const connection = await connectServer(this.#config, {
        fetch: await fetchOf(),
        login: this.#deps.login,
        era: this.#era,
        processes,
        signal: this.#closing.signal,
        probeMs,
        onListChanged: this.#onListChanged,
        onStderr: (line) => this.#logStderr(line),
        // The SDK's errors end in the whole message that the server sent, such as an answer that came too late.
        onFault: (error) =>
          log.debug(
            { server: name, fault: this.hide().head(error.message.replace(/[{[].*/s, '…'), 500) },
            'a fault of an MCP server',
          ),
        onClose: () => ending(),
      })
      ending = () => this.#ended(connection, now() - begun)
      this.#isUp = true
      this.#down = undefined
      log.info({ server: name, protocol: connection.client.getNegotiatedProtocolVersion() }, 'MCP server connected')
      return connection
    } catch (error) {
      const sentence = this.sentence(error, { timeoutMs: now() - begun })
      this.#failed(sentence, 0)
      throw sentence
    }
  }

  /** A connection that we close ourselves is no longer in `#opening`. */
  #ended(connection: Connection, upMs: number): void {
    if (!this.#isUp || this.#closing.signal.aborted) return
    this.#opening = undefined
    this.#isUp = false
    const fault = connection.fault() ?? `${this.#config.name} ended the connection.`
    this.#failed(new ToolError(this.hide().text(fault), { isDown: true }), upMs)
  }

  #failed(sentence: ToolError, upMs: number): void {
    const { log, now } = this.#deps
    this.#down = sentence
    if (this.#config.kind === 'stdio') {
      this.#restart.ends = upMs > STEADY_MS ? 1 : this.#restart.ends + 1
      const pause = this.#restart.ends > 1 ? backoffMs(this.#restart.ends - 2, RESTART) : 0
      this.#restart.notBefore = now() + pause
    }
    const unsaid = this.#oncePerMinute('down')
    if (unsaid !== undefined && !this.#closing.signal.aborted)
      log.warn({ server: this.#config.name, why: sentence.message, unsaid }, 'MCP server down')
  }

  #logStderr(line: string): void {
    const { log, now } = this.#deps
    if (now() - this.#stderr.since > 60_000) Object.assign(this.#stderr, { lines: 0, since: now() })
    this.#stderr.lines += 1
    const server = this.#config.name
    if (this.#stderr.lines <= MAX_LINES)
      log.debug({ server, line: this.hide().text(line) }, 'an MCP server writes to stderr')
    else if (this.#stderr.lines === MAX_LINES + 1)
      log.debug({ server }, 'more stderr output of an MCP server was left out')
  }
}
