import { Cluster, type Redis } from 'ioredis'
import type { RedisClient } from '../base/redis/redis.ts'

/**
 * The pause before another connection is tried, and the interval between checks that this one is alive. Milliseconds.
 */
const REOPEN_MS = 200
const ALIVE_MS = 5_000

/**
 * Subscribes to one Redis channel over its own connection, which is reopened for as long as necessary. The nodes of a
 * Cluster forward messages to each other, so the connection goes to one of them, and to another when that is gone.
 * `onMessage` is called with each published text. `onSubscribed` is called whenever the subscription has been made or
 * restored: signals published before that may have been missed.
 * @returns a function that ends the subscription
 */
export function subscribeToSignals(
  redis: RedisClient,
  channel: string,
  onMessage: (text: string) => void,
  onSubscribed: () => void,
): () => void {
  let connection: Redis | undefined
  let reopening: NodeJS.Timeout | undefined
  let isClosed = false
  const reopen = () => {
    if (!isClosed) reopening = setTimeout(open, REOPEN_MS)
  }
  const open = () => {
    const opened = (connection = connectionLike(redis))
    if (!opened) return reopen()
    opened.on('error', () => {})
    opened.on('end', reopen)
    opened.on('message', (_, text: string) => onMessage(text))
    opened.on('ready', () => {
      opened.subscribe(channel).then(onSubscribed, () => opened.disconnect(true))
    })
  }
  open()
  // A connection that only listens would not notice that the other end is gone. The answer to the ping has to come
  // within ioredis' `socketTimeout`.
  const ping = setInterval(() => void connection?.ping().catch(() => {}), ALIVE_MS).unref()
  return () => {
    isClosed = true
    clearInterval(ping)
    clearTimeout(reopening)
    connection?.disconnect()
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
