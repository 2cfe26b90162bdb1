/**
 * Merges concurrent calls with the same key into one. A caller whose signal aborts leaves; the others keep waiting. The
 * work is aborted when the last caller leaves.
 */
export function createSharedWork<T>() {
  const running = new Map<string, { promise: Promise<T>; waiting: number; controller: AbortController }>()

  // When all callers have left, the entry is aborted and removed from the map, so that the next caller starts a new
  // one.
  const start = (key: string, work: (signal: AbortSignal) => Promise<T>) => {
    const controller = new AbortController()
    const promise = work(controller.signal).finally(() => {
      if (running.get(key) === entry) running.delete(key)
    })
    promise.catch(() => undefined) // each waiting caller gets the error itself
    const entry = { promise, waiting: 0, controller }
    running.set(key, entry)
    return entry
  }

  return {
    async join(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      signal?.throwIfAborted()
      const entry = running.get(key) ?? start(key, work)
      entry.waiting += 1
      const leave = () => {
        entry.waiting -= 1
        if (entry.waiting > 0) return
        if (running.get(key) === entry) running.delete(key)
        entry.controller.abort()
      }
      return untilAborted(entry.promise, signal).finally(leave)
    },
  }
}

/** The promise's result, or the signal's reason as soon as it aborts. Removes its listener. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
