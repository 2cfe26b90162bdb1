/** In so many parts a wait is made. */
const PARTS = 4

/**
 * Waits for all of the promises, but no longer than `ms`. Whether they fail is no matter here. While the whole process stands still
 * (a machine that sleeps, or is busy with others) no more than a part of the time passes, and what came meanwhile is read before
 * it is over.
 * @returns true when all of them settled in time.
 */
export async function settledWithin(ms: number, promises: Iterable<Promise<unknown>>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<false>((resolve) => {
    const wait = (parts: number) => {
      if (parts === 0) return void setImmediate(() => resolve(false))
      timer = setTimeout(() => wait(parts - 1), ms / PARTS)
    }
    wait(PARTS)
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
