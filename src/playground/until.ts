/** Resolves with the first truthy value of `check`. @throws after `ms`, naming `what`. */
export async function until<T>(check: () => T | Promise<T>, what: string, ms = 45_000): Promise<NonNullable<T>> {
  const end = Date.now() + ms
  for (;;) {
    const value = await check()
    if (value) return value
    if (Date.now() > end) throw new Error(`Waited ${ms} ms for ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
}

/** Waits until nothing has been under way, and nothing new has come, for so long. */
export async function quiet(look: () => { busy: number; count: number }, ms: number): Promise<void> {
  let seen = look().count
  let since = Date.now()
  while (Date.now() - since < ms) {
    await new Promise((resolve) => setTimeout(resolve, 15))
    const { busy, count } = look()
    if (busy > 0 || count !== seen) since = Date.now()
    seen = count
  }
}
