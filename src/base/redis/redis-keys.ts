import type { Cluster, Redis } from 'ioredis'
import type { RedisClient } from './redis.ts'

/** A Redis, and the prefix of all our keys in it. */
export interface RedisKeyspace {
  redis: RedisClient
  prefix: string
}

/** The key of a thread's data. The braces (a hash tag) keep a thread's keys on one node of a Cluster. */
export function threadKey(prefix: string, thread: string, name: string): string {
  return `${prefix}:{${thread}}:${name}`
}

/**
 * All matching keys, in batches, from every master. A key may occur twice. @throws Error if a master cannot be reached
 */
export async function* scanKeys(redis: RedisClient, pattern: string): AsyncGenerator<string[]> {
  // Not by class: a bot without Redis does not load ioredis.
  const nodes = 'nodes' in redis ? await mastersOf(redis) : [redis]
  for (const node of nodes) {
    let cursor = '0'
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', 500)
      cursor = next
      if (keys.length > 0) yield keys
    } while (cursor !== '0')
  }
}

/**
 * The current masters. Refreshes the slots first: after a failover, an idle client still knows a shard's former master.
 */
async function mastersOf(cluster: Cluster): Promise<Redis[]> {
  await new Promise<void>((resolve, reject) =>
    cluster.refreshSlotsCache((error) => (error ? reject(error) : resolve())),
  )
  return cluster.nodes('master')
}
