import { Cluster, type Redis } from 'ioredis'
import type { RedisClient } from '../base/redis/redis.ts'

export interface SignalSubscriberOptions {
  redis: RedisClient
  channel: string
  /** Called with each text that is published on the channel. */
  heard: (text: string) => void
  /** Called whenever the subscription has been made, also again: what was published before may have been missed. */
  subscribed: () => void
}

/** How long to wait before another connection is tried, and between two looks whether this one is alive. Milliseconds. */
const REOPEN_MS = 200
const ALIVE_MS = 5_000

/**
 * One channel of Redis' publish and subscribe, over a connection of its own that is opened again for as long as it takes. In a
 * Cluster each node hands on what any of them is told, so the connection goes to one of them, and to another when that is gone.
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
    // A connection that only listens would never find out that nobody is at its other end: the ping's answer has to come
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
    const { redis, channel, heard, subscribed } = this.#options
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

/** @returns undefined where no node of a Cluster is known now. */
function connectionLike(redis: RedisClient): Redis | undefined {
  const own = { autoResubscribe: false, lazyConnect: false, enableOfflineQueue: false, socketTimeout: ALIVE_MS }
  if (!(redis instanceof Cluster)) return redis.duplicate(own)
  const nodes = redis.nodes('master')
  const node = nodes[Math.floor(Math.random() * nodes.length)]
  return node?.duplicate({ ...own, retryStrategy: () => null })
}
