/**
 * Keeps a Socket Mode connection open. The client's own reconnecting gives up for good when Slack is unreachable, and a
 * socket can be dead without a close event. So this module retries for as long as it takes, and replaces a connection
 * that receives nothing, not even the pings that Slack sends several times a minute.
 */
import type { SocketModeReceiver } from '@slack/bolt'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { backoffMs, sleep } from '../../base/backoff.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { settledWithin } from '../../base/async.ts'
import { refusalCode } from '../client/slack-errors.ts'

export interface SocketOptions {
  /** Must be created with `autoReconnectEnabled: false`. */
  client: SocketModeReceiver['client']
  /** A connection that receives nothing for this long is replaced. Milliseconds. */
  silenceMs: number
  /** Exponential backoff with jitter between two tries, in ms. Default: from 1 s to 30 s. */
  pause?: { base: number; max: number } | undefined
  log: Log
  /** Milliseconds since the epoch. */
  now(): number
  /** Called at the start and at each change. */
  onConnection?: ((isConnected: boolean) => void) | undefined
}

/** How long the start keeps trying to connect. Milliseconds. */
const FIRST_MS = 30_000
/** After a connection that lived shorter, the backoff before the next try is not skipped. Milliseconds. */
const STEADY_MS = 10_000
const PAUSE = { base: 1_000, max: 30_000 }
/** How long Slack has to answer a close frame, in ms. The client would wait 30 s, longer than SHUTDOWN_MS allows. */
const CLOSE_MS = 2_000
/** The diagnostics channel on which undici reports the pings of every WebSocket of the process. */
const PINGS = 'undici:websocket:ping'

export class Socket {
  readonly #options: SocketOptions
  readonly #end = new AbortController()
  #address = ''
  #isConnected = false
  #connectedAt = 0
  #heardAt = 0
  /** The time at which the connection was lost, in ms since the epoch; undefined while it is fine. */
  #lostAt: number | undefined
  /** Whether Slack asked for a new connection, as it does every few hours. */
  #isReplacing = false
  /** Whether Slack has refused us since the connection was lost. */
  #isRefused = false
  /** Whether the connection was silent for too long at the watchdog's last check. */
  #isSilent = false
  #watchdog: NodeJS.Timeout | undefined

  constructor(options: SocketOptions) {
    this.#options = options
    const { client, onConnection } = options
    client.on('authenticated', ({ url }: { url?: string }) => (this.#address = url ?? ''))
    client.on('ws_message', (data: unknown) => this.#hear(data))
    client.on('connected', () => this.#connected())
    client.on('disconnected', () => this.#disconnected())
    onConnection?.(false)
  }

  isConnected(): boolean {
    return this.#isConnected
  }

  /** Opens the connection. @throws the error if Slack refuses us or is unreachable for half a minute */
  async start(): Promise<void> {
    subscribe(PINGS, this.#onPing)
    const { silenceMs } = this.#options
    this.#watchdog = setInterval(() => this.#look(), silenceMs / 12)
    this.#watchdog.unref()
    try {
      await this.#open({ tries: 0, until: this.#options.now() + FIRST_MS })
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  async stop(): Promise<void> {
    this.#end.abort()
    clearInterval(this.#watchdog)
    unsubscribe(PINGS, this.#onPing)
    await settledWithin(CLOSE_MS, [this.#options.client.disconnect()])
    this.#setConnected(false)
  }

  /** Tries until it is open. With `until` (ms since the epoch) it throws later errors, and a refusal at once. */
  async #open({ tries, until }: { tries: number; until?: number }): Promise<void> {
    const { client, pause = PAUSE } = this.#options
    for (let n = tries; !this.#end.signal.aborted; n++) {
      if (n > 0) await sleep(backoffMs(n - 1, pause), this.#end.signal).catch(() => undefined)
      if (this.#end.signal.aborted) return
      this.#heardAt = this.#options.now()
      try {
        await client.start()
        // `stop` was called in the meantime.
        if (this.#end.signal.aborted) await settledWithin(CLOSE_MS, [client.disconnect()])
        return
      } catch (error) {
        const isRefused = refusalCode(error) !== undefined
        if (until !== undefined && (isRefused || this.#options.now() > until)) throw error
        if (until === undefined) this.#lose('no connection can be made')
        if (isRefused) this.#refuse(error)
      }
    }
  }

  #connected(): void {
    this.#connectedAt = this.#heardAt = this.#options.now()
    this.#isReplacing = this.#isRefused = false
    this.#setConnected(true)
    if (this.#lostAt === undefined) return
    this.#options.log.info({ lostMs: this.#options.now() - this.#lostAt }, 'the connection to Slack is back')
    this.#lostAt = undefined
  }

  #disconnected(): void {
    // If a connection was never made, `client.start()` rejects and handles it.
    if (!this.#isConnected) return
    this.#setConnected(false)
    if (this.#end.signal.aborted) return
    if (!this.#isReplacing) this.#lose('it was closed')
    const isSteady = this.#options.now() - this.#connectedAt > STEADY_MS
    void this.#open({ tries: isSteady ? 0 : 1 })
  }

  #lose(reason: string): void {
    if (this.#lostAt !== undefined || this.#end.signal.aborted) return
    this.#lostAt = this.#options.now()
    this.#options.log.warn({ reason }, 'the connection to Slack is lost; trying again until it is back')
  }

  /** Logs a refusal once, because waiting does not help against a revoked token. */
  #refuse(error: unknown): void {
    if (this.#isRefused || this.#end.signal.aborted) return
    this.#isRefused = true
    this.#options.log.error({ error: messageOf(error) }, 'Slack refuses the connection')
  }

  #setConnected(isConnected: boolean): void {
    if (this.#isConnected === isConnected) return
    this.#isConnected = isConnected
    this.#options.onConnection?.(isConnected)
  }

  #hear(data: unknown): void {
    this.#heardAt = this.#options.now()
    // Slack's messages about the connection itself are short; longer ones are events, which the client parses.
    if (typeof data === 'string' && data.length < 1_000 && /"type"\s*:\s*"disconnect"/.test(data))
      this.#isReplacing = true
  }

  readonly #onPing = (message: unknown): void => {
    if (this.#address !== '' && addressOf(message) === new URL(this.#address).href) this.#heardAt = this.#options.now()
  }

  /** Replaces a connection, or an attempt at one, that has received nothing for too long. */
  #look(): void {
    const silentMs = this.#options.now() - this.#heardAt
    const wasSilent = this.#isSilent
    this.#isSilent = silentMs >= this.#options.silenceMs
    // Two checks, because after a machine's sleep the first one runs before pending data is read.
    if (!this.#isSilent || !wasSilent) return
    this.#isSilent = false
    this.#heardAt = this.#options.now()
    this.#lose(`nothing came for ${Math.round(silentMs / 1000)} s`)
    // The first call asks the other side to close, which a dead one never does. The second does not wait for that.
    void this.#options.client.disconnect()
    void this.#options.client.disconnect()
  }
}

function addressOf(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('websocket' in message)) return undefined
  const { websocket } = message
  return typeof websocket === 'object' && websocket !== null && 'url' in websocket ? websocket.url : undefined
}
