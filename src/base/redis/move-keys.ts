import { movedKey, type Place } from '../place.ts'
import type { RedisClient } from './redis.ts'
import { below, nameOf, scanKeys, threadKey } from './redis-keys.ts'

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
