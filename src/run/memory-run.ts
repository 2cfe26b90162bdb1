import { LeaseLost } from '../errors.ts'
import { applyPart } from './saved-run.ts'
import type { Run, SavedRun } from './types.ts'

/**
 * A run in this process's memory. It changes `saved` in place, so whoever keeps that object can resume the run.
 * `isHeld` is the lease: once it says no, every method throws LeaseLost.
 */
export function embeddedRun(saved: SavedRun, isHeld: () => boolean): Run {
  const insist = () => {
    if (!isHeld()) throw new LeaseLost('This run was handed over.')
  }
  return {
    saved,
    async save(...parts) {
      insist()
      // A copy, as a store on a disk would make: what the caller changes later is not saved by that.
      for (const part of structuredClone(parts)) applyPart(saved, part)
    },
    async claimPost(key) {
      insist()
      const ts = saved.posts[key]
      if (ts) return { ts }
      saved.posts[key] = ''
      return ts === undefined ? 'fresh' : 'unsure'
    },
    async posted(key, ts) {
      insist()
      saved.posts[key] = ts
    },
    async checkLease() {
      insist()
    },
  }
}
