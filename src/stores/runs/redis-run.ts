import { sleep } from '../../base/backoff.ts'
import type { RedisClient } from '../../base/redis/redis.ts'
import { RunUpdates, type RunLease } from './run-updates.ts'
import { applyPart } from './apply-part.ts'
import type { Run, SavedRun } from './types.ts'
import { fieldOf, postField } from './stored-run.ts'

/** A run in Redis. The records of its last posts may wait for the write that ends the work on it. */
export interface RedisRun extends Run {
  /** Saves the records that wait. @throws LeaseLost */
  flush(): Promise<void>
  /** Hands the waiting records to the caller, who saves them: `field, value, field, value …`. */
  takeRecords(): string[]
}

interface RunPlace {
  redis: RedisClient
  /** Milliseconds since the epoch. */
  now: () => number
  /** The time after a take-over in which the earlier holder may still be sending claimed posts. Milliseconds. */
  settleMs: number
}

/** A run in Redis whose lease this process holds. */
export function redisRun(place: RunPlace, lease: RunLease, saved: SavedRun): RedisRun {
  const updates = new RunUpdates(place, lease)
  const settledAt = saved.attempts > 1 ? lease.since + place.settleMs : 0
  return {
    saved,
    async save(...parts) {
      if (parts.length === 0) return
      await updates.save(parts.flatMap(fieldOf))
      for (const part of structuredClone(parts)) applyPart(saved, part)
    },
    async claimPost(key) {
      // A saved ts never changes, so what this holder knows is still true; only its lease may be lost.
      const known = saved.posts[key]
      if (known) {
        await updates.check()
        return { ts: known }
      }
      const before = await updates.claim(postField(key))
      if (before) return { ts: before }
      saved.posts[key] = ''
      if (before === undefined) return 'fresh'
      // Looked up sooner, a post that is under way would not be there yet, and would be sent twice.
      const ms = Math.min(place.settleMs, settledAt - place.now())
      if (ms > 0) await sleep(ms)
      return 'unsure'
    },
    async posted(key, ts) {
      await updates.record(postField(key), ts)
      saved.posts[key] = ts
    },
    checkLease: () => updates.check(),
    flush: () => updates.flush(),
    takeRecords: () => updates.takeRecords(),
  }
}
