import { LeaseLost } from '../errors.ts'
import type { RedisClient } from '../redis.ts'
import { redisScript } from '../redis-script.ts'
import { applyPart } from './saved-run.ts'
import { fieldOf, postField } from './stored-run.ts'
import type { Run, SavedRun } from './types.ts'

/** Who may work on a run: the keys of the thread and of the run's hash, and the fencing token of this holder. */
export interface RunLease {
  threadKey: string
  runKey: string
  token: string
  /** Milliseconds since the epoch, from before it was taken. */
  since: number
}

/** For how long after a check the lease counts as still held: much less than the shortest lock lasts. Milliseconds. */
const SURE_MS = 400

// Each script compares the fencing token and writes in one step: a holder that was frozen for an hour finds another token
// there and changes nothing.

const saveRunParts = redisScript(new URL('./lua/save-run-parts.lua', import.meta.url), {
  keys: ['thread', 'run'],
  args: ['token'],
})

const claimPost = redisScript(new URL('./lua/claim-post.lua', import.meta.url), {
  keys: ['thread', 'run'],
  args: ['token', 'post'],
})

/** A run in Redis that this process holds the lease of. One command a method; `now` is the clock, in milliseconds. */
export function redisRun(place: { redis: RedisClient; now: () => number }, lease: RunLease, saved: SavedRun): Run {
  const { redis, now } = place
  const leased = { thread: lease.threadKey, run: lease.runKey, token: lease.token }
  let sureAt = lease.since
  /** Counts from before the question: a process that is frozen until the answer comes must not take the answer for fresh. */
  const held = async <T>(ask: () => Promise<T>, isLost: (answer: T) => boolean): Promise<T> => {
    const at = now()
    const answer = await ask()
    if (isLost(answer)) throw new LeaseLost('Another worker has taken this run over.')
    sureAt = at
    return answer
  }
  const write = (fields: string[]) =>
    held(
      () => saveRunParts(redis, leased, { args: fields }),
      (done) => !done,
    )
  return {
    saved,
    async save(...parts) {
      if (parts.length === 0) return
      await write(parts.flatMap(fieldOf))
      for (const part of structuredClone(parts)) applyPart(saved, part)
    },
    async claimPost(key) {
      const ask = () => claimPost(redis, { ...leased, post: postField(key) })
      const claim = String(await held(ask, (answer) => answer === 'lost'))
      if (claim.startsWith('ts:')) return { ts: claim.slice('ts:'.length) }
      saved.posts[key] = ''
      return claim === 'fresh' ? 'fresh' : 'unsure'
    },
    async posted(key, ts) {
      await write([postField(key), ts])
      saved.posts[key] = ts
    },
    async checkLease() {
      if (now() - sureAt < SURE_MS) return
      await held(
        () => redis.hget(lease.threadKey, 'lease'),
        (holder) => holder !== lease.token,
      )
    },
  }
}
