/** How long a refusal counts. A workspace gets new features, and an app new scopes, without telling us. */
const REMEMBERED_MS = 60 * 60_000

/**
 * What a workspace has refused of late: a kind of block, a scope, a method, each by Slack's own name for it. Whoever wants to send
 * such a thing looks here first and takes the simpler way at once. Kept in this process alone.
 */
export class Refusals {
  /** The name, and until when its refusal counts: milliseconds since the epoch. */
  readonly until = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  has(name: string): boolean {
    const until = this.until.get(name)
    if (until === undefined) return false
    if (until > this.#now()) return true
    this.until.delete(name)
    return false
  }

  remember(name: string): void {
    this.until.set(name, this.#now() + REMEMBERED_MS)
  }
}
