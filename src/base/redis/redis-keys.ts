/** The names of keys, and operations on all keys of a place. */
import type { Cluster, Redis } from 'ioredis'
import { movedKey, type Forgetting, type Place } from '../place.ts'
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
 * Deletes the keys whose tag matches `tag` (a glob, see `below`) and whose name matches `name`. Scans all keys, so it
 * is slow.
 * @throws Error if a master cannot be reached
 */
export async function forgetKeys(
  redis: RedisClient,
  { prefix, tag, name }: { prefix: string; tag: string; name: RegExp },
): Promise<void> {
  for await (const keys of scanKeys(redis, threadKey(prefix, tag, '*')))
    // One by one, because in a Cluster they are on several nodes.
    await Promise.all(keys.filter((key) => name.test(nameOf(key))).map((key) => redis.unlink(key)))
}

/** A glob for the tags below a team, or below a channel of it: threads, people, … */
export function below(...ids: string[]): string {
  return `${ids.map(escapeGlob).join(':')}:*`
}

/** Deletes a store's data about the threads of a channel or team, from keys whose name matches. */
export function forgettingKeys(redis: RedisClient, prefix: string, name: RegExp): Forgetting {
  return {
    forgetChannel: ({ team, channel }) => forgetKeys(redis, { prefix, tag: below(team, channel), name }),
    forgetTeam: (team) => forgetKeys(redis, { prefix, tag: below(team), name }),
  }
}

/** The part of a key after its tag. */
function nameOf(key: string): string {
  return key.slice(key.indexOf('}:') + 2)
}

/**
 * Calls `move` for each key of a channel's threads whose name matches, with the key that it gets in the channel's new
 * id. The two keys may be on different nodes of a Cluster. If it is interrupted, another call does the rest.
 */
export async function moveKeys(
  redis: RedisClient,
  { prefix, place, to, name }: { prefix: string; place: Place; to: string; name: RegExp },
  move: (keys: { from: string; to: string }) => Promise<void>,
): Promise<void> {
  const start = `${prefix}:{`.length
  for await (const keys of scanKeys(redis, threadKey(prefix, below(place.team, place.channel), '*')))
    for (const from of keys.filter((key) => name.test(nameOf(key)))) {
      const moved = movedKey(from.slice(start), place, to)
      if (moved !== undefined) await move({ from, to: from.slice(0, start) + moved })
    }
}

/** Escapes a text for use in a glob. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]^-]/g, '\\$&')
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
