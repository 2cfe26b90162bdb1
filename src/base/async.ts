import { setTimeout as sleep } from 'node:timers/promises'

/** A wait is split into this many timers, so that a frozen process loses one part of it at most. */
const PARTS = 4

/**
 * Waits until all promises settle, at most `ms`. A rejected promise counts as settled. While the process is frozen (a
 * sleeping or busy machine), at most one part of the time passes, and results that arrived meanwhile are read before
 * the time is over.
 * @returns true if all of them settled in time
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

/**
 * Waits for a promise, at most `ms`, as `settledWithin` does.
 * @returns `late` if it has not settled by then
 * @throws the reason of a promise that rejects in time
 */
export async function inTime<T, Late>(ms: number, promise: Promise<T>, late: Late): Promise<T | Late> {
  return (await settledWithin(ms, [promise])) ? promise : late
}

/** Creates a value on first use and returns it from then on. A promise is kept even if it rejects. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/**
 * Runs work of the same name one at a time. Each waits for the one before it, at most `ms`.
 * @throws what `work` throws
 */
export async function inTurn<T>(
  turns: Map<string, Promise<unknown>>,
  name: string,
  ms: number,
  work: () => Promise<T>,
): Promise<T> {
  const start = turns.get(name) ?? Promise.resolve()
  const mine = start.then(work)
  const isOver = () => Promise.race([mine.catch(() => undefined), sleep(ms, undefined, { ref: false })])
  const turn = start.then(isOver)
  turns.set(name, turn)
  try {
    return await mine
  } finally {
    if (turns.get(name) === turn) turns.delete(name)
  }
}
