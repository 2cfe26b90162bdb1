/**
 * Waits for all of the promises, but no longer than `ms`. Whether they fail is no matter here.
 * @returns true when all of them settled in time.
 */
export async function settledWithin(ms: number, promises: Iterable<Promise<unknown>>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const all = Promise.allSettled(promises).then(() => true)
  try {
    return await Promise.race([all, patience])
  } finally {
    clearTimeout(timer)
  }
}

/** Makes something when it is first asked for, and gives the same from then on; of a promise that, whatever became of it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
