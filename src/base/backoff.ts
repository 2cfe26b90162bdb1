/** Exponential backoff with equal jitter (M. Brooker, "Exponential Backoff And Jitter", AWS 2015). Milliseconds. */
export function backoffMs(attempt: number, { base, max }: { base: number; max: number }): number {
  const ceiling = Math.min(max, base * 2 ** attempt)
  return ceiling / 2 + (Math.random() * ceiling) / 2
}

/** Waits. An abort rejects at once with the signal's reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
