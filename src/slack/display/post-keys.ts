import type { Run } from '../../stores/runs/types.ts'

/** Each manual retry gets its own post key, so that a run that fails again says so again. */
export function keyOfEnd(name: string, { saved }: Run): string {
  return saved.retries > 0 ? `${name}-${saved.retries}` : name
}

/** Returns whether an earlier process began to post that this run failed, and then died before it ended the run. */
export function isFailureTold(run: Run): boolean {
  return run.saved.posts[`${keyOfEnd('failed', run)}-1`] !== undefined
}
