import { Cluster, type Redis } from 'ioredis'
import type { RedisClient } from '../base/redis/redis.ts'

interface SignalSubscriberOptions {
  redis: RedisClient
  channel: string
  /** Called with each text that is published on the channel. */
  onMessage: (text: string) => void
  /**
   * Called whenever the subscription has been made or restored. Signals published before that may have been missed.
   */
  onSubscribed: () => void
}

/**
 * The pause before another connection is tried, and the interval between checks that this one is alive. Milliseconds.
 */
const REOPEN_MS = 200
const ALIVE_MS = 5_000

/**
 * Subscribes to one Redis channel over its own connection, which is reopened for as long as necessary. The nodes of a
 * Cluster forward messages to each other, so the connection goes to one of them, and to another when that is gone.
 */
export class SignalSubscriber {
  readonly #options: SignalSubscriberOptions
  readonly #ping: NodeJS.Timeout
  #connection: Redis | undefined
  #reopening: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: SignalSubscriberOptions) {
    this.#options = options
    this.#open()
    // A connection that only listens would not notice that the other end is gone. The answer to the ping has to come
    // within ioredis' `socketTimeout`.
    this.#ping = setInterval(() => void this.#connection?.ping().catch(() => {}), ALIVE_MS).unref()
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#ping)
    clearTimeout(this.#reopening)
    this.#connection?.disconnect()
  }

  #open(): void {
    const { redis, channel, onMessage: heard, onSubscribed: subscribed } = this.#options
    const connection = connectionLike(redis)
    this.#connection = connection
    if (!connection) return this.#reopen()
    connection.on('error', () => {})
    connection.on('end', () => this.#reopen())
    connection.on('message', (_, text: string) => heard(text))
    connection.on('ready', () => {
      connection.subscribe(channel).then(subscribed, () => connection.disconnect(true))
    })
  }

  #reopen(): void {
    if (!this.#isClosed) this.#reopening = setTimeout(() => this.#open(), REOPEN_MS)
  }
}

/** @returns undefined if no node of the Cluster is known */
function connectionLike(redis: RedisClient): Redis | undefined {
  const own = { autoResubscribe: false, lazyConnect: false, enableOfflineQueue: false, socketTimeout: ALIVE_MS }
  if (!(redis instanceof Cluster)) return redis.duplicate(own)
  const nodes = redis.nodes('master')
  const node = nodes[Math.floor(Math.random() * nodes.length)]
  return node?.duplicate({ ...own, retryStrategy: () => null })
}
