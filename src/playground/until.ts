/** Between two looks, in milliseconds. */
const LOOK_MS = 15

/** Resolves with the first truthy value of `check`. @throws after `ms`, naming `what`. */
export async function until<T>(check: () => T | Promise<T>, what: string, ms = 45_000): Promise<NonNullable<T>> {
  const end = Date.now() + ms
  for (;;) {
    const value = await check()
    if (value) return value
    if (Date.now() > end) throw new Error(`Waited ${ms} ms for ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/**
 * Waits until nothing has been under way, and nothing new has come, for so long. It counts looks, not the clock: where the whole
 * process stood still, what waits in it has its turns first.
 */
export async function quiet(look: () => { busy: number; count: number }, ms: number): Promise<void> {
  let seen = look().count
  for (let looks = 0; looks * LOOK_MS < ms; looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const { busy, count } = look()
    if (busy > 0 || count !== seen) looks = -1
    seen = count
  }
}
