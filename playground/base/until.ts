/** The pause between two checks, in ms. */
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
 * Waits until nothing has been in progress and nothing new has come for `ms`. It counts checks instead of reading the
 * clock, because the clock goes on while a busy machine stands still.
 */
export async function quiet(look: () => { busy: number; count: number }, ms: number): Promise<void> {
  let seen = look().count
  let looks = 0
  while (looks * LOOK_MS < ms) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const { busy, count } = look()
    looks = busy > 0 || count !== seen ? 0 : looks + 1
    seen = count
  }
}
