import { setTimeout } from 'node:timers/promises'

/** Exponential backoff with equal jitter (M. Brooker, "Exponential Backoff And Jitter", AWS 2015). Milliseconds. */
export function backoffMs(attempt: number, { base, max }: { base: number; max: number }): number {
  const ceiling = Math.min(max, base * 2 ** attempt)
  return ceiling / 2 + (Math.random() * ceiling) / 2
}

/** Waits. An abort rejects at once with the signal's reason. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : error
  })
}
