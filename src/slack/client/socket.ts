/**
 * Keeps a Socket Mode connection open. The client's own reconnecting gives up for good where Slack cannot be reached, and a
 * socket can be dead without a close event, so both are done here: it is opened again for as long as it takes, and one from
 * which nothing comes, not even the pings that Slack sends several times a minute, is replaced.
 */
import type { SocketModeReceiver } from '@slack/bolt'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { backoffMs, sleep } from '../../base/backoff.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { settledWithin } from '../../base/async.ts'
import { refusalCode } from './slack-errors.ts'

export interface SocketOptions {
  /** Made with `autoReconnectEnabled: false`. */
  client: SocketModeReceiver['client']
  /** How long nothing may come before the connection is replaced, in ms. */
  silenceMs: number
  /** Pauses between two tries, doubling, with jitter, in ms: from one second to half a minute unless given. */
  pause?: { base: number; max: number } | undefined
  log: Log
  /** Milliseconds since the epoch. */
  now(): number
  /** Told at the start and at each change. */
  onConnection?: ((isConnected: boolean) => void) | undefined
}

/** How long Slack is tried at the start. Milliseconds. */
const FIRST_MS = 30_000
/** A connection that lived shorter does not count as one when the pause before the next is chosen. */
const STEADY_MS = 10_000
/** Between two tries. Milliseconds. */
const PAUSE = { base: 1_000, max: 30_000 }
/** How long Slack has to answer a close frame. The client would wait 30 s, longer than SHUTDOWN_MS gives a bot. Milliseconds. */
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
  /** When the connection was lost, in ms; undefined while all is well. */
  #lostAt: number | undefined
  /** Slack asked for a new connection, as it does every few hours. */
  #isReplacing = false
  /** Slack has refused us since the connection was lost. */
  #isRefused = false
  /** At the last look of the watchdog nothing had come for too long. */
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

  /** Opens it. @throws what Slack or the network says, where it refuses us or cannot be reached for half a minute. */
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

  /** Closes the connection, and opens no other. */
  async stop(): Promise<void> {
    this.#end.abort()
    clearInterval(this.#watchdog)
    unsubscribe(PINGS, this.#onPing)
    await settledWithin(CLOSE_MS, [this.#options.client.disconnect()])
    this.#setConnected(false)
  }

  /** Tries until it is open. With `until` (ms since the epoch) it throws what still fails then, and a refusal at once. */
  async #open({ tries, until }: { tries: number; until?: number }): Promise<void> {
    const { client, pause = PAUSE } = this.#options
    for (let n = tries; !this.#end.signal.aborted; n++) {
      if (n > 0) await sleep(backoffMs(n - 1, pause), this.#end.signal).catch(() => undefined)
      if (this.#end.signal.aborted) return
      this.#heardAt = this.#options.now()
      try {
        await client.start()
        // `stop` was called while it was opened.
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
    // The client's start() reports a connection that was never made.
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

  /** Waiting does not help against a token that was revoked, so that gets a log line of its own, once. */
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

  /** Replaces a connection, or a try at one, from which nothing has come for too long. */
  #look(): void {
    const silentMs = this.#options.now() - this.#heardAt
    const wasSilent = this.#isSilent
    this.#isSilent = silentMs >= this.#options.silenceMs
    // Twice, because after a machine's sleep the first look comes before what waits to be read.
    if (!this.#isSilent || !wasSilent) return
    this.#isSilent = false
    this.#heardAt = this.#options.now()
    this.#lose(`nothing came for ${Math.round(silentMs / 1000)} s`)
    // The first asks the other side to close, which a dead one never does; the second does not wait for that.
    void this.#options.client.disconnect()
    void this.#options.client.disconnect()
  }
}

function addressOf(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('websocket' in message)) return undefined
  const { websocket } = message
  return typeof websocket === 'object' && websocket !== null && 'url' in websocket ? websocket.url : undefined
}
