import { sleep } from '../../base/backoff.ts'

interface RateGate {
  /** The time from which Slack accepts calls again, in milliseconds since the epoch. */
  until: number
  waiting: number
  tail: Promise<void>
}

/**
 * Holds calls back after a 429, for the time in its Retry-After. Only calls under the same rate limit wait: posts in
 * that channel, or calls of that method. They then go through one at a time, in order.
 */
export class RateLimits {
  readonly #gates = new Map<string, RateGate>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  close(key: string, ms: number): void {
    const gate = this.#gates.get(key) ?? { until: 0, waiting: 0, tail: Promise.resolve() }
    gate.until = Math.max(gate.until, this.#now() + ms)
    this.#gates.set(key, gate)
  }

  isClosed(key: string): boolean {
    return (this.#gates.get(key)?.until ?? 0) > this.#now()
  }

  /** Resolves when it is this caller's turn. The caller must call the returned function after its try. */
  async enter(key: string, signal?: AbortSignal): Promise<() => void> {
    const gate = this.#gates.get(key)
    if (!gate) return () => {}
    const before = gate.tail
    let passOn = () => {}
    gate.tail = new Promise((resolve) => (passOn = resolve))
    gate.waiting++
    const leave = () => {
      if (--gate.waiting === 0 && gate.until <= this.#now()) this.#gates.delete(key)
      passOn()
    }
    try {
      await before
      while (gate.until > this.#now()) await sleep(gate.until - this.#now(), signal)
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }
}
