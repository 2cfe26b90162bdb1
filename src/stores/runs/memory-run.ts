import { LeaseLost } from '../../base/errors.ts'
import { applyPart } from './apply-part.ts'
import type { Run, SavedRun } from './types.ts'

/**
 * A run in this process's memory. It changes `saved` in place, so whoever keeps that object can resume the run.
 * `isHeld` is the lease: once it returns false, every method throws LeaseLost.
 */
export function embeddedRun(saved: SavedRun, isHeld: () => boolean): Run {
  const checkHeld = () => {
    if (!isHeld()) throw new LeaseLost('This run was handed over.')
  }
  return {
    saved,
    async save(...parts) {
      checkHeld()
      // Copied, as a store on a disk would: later changes by the caller are not saved.
      for (const part of structuredClone(parts)) applyPart(saved, part)
    },
    async claimPost(key) {
      checkHeld()
      const ts = saved.posts[key]
      if (ts) return { ts }
      saved.posts[key] = ''
      return ts === undefined ? 'fresh' : 'unsure'
    },
    async posted(key, ts) {
      checkHeld()
      saved.posts[key] = ts
    },
    async checkLease() {
      checkHeld()
    },
  }
}
