import { sleep } from '../../backoff.ts'

interface Gate {
  /** Milliseconds since the epoch from which Slack takes calls again. */
  until: number
  waiting: number
  tail: Promise<void>
}

/**
 * Slack says for how long a method is closed for a channel (429 with Retry-After). Calls that come in that time wait, and
 * then go through one at a time, in their order. Other methods and channels are not held up.
 */
export class RateLimits {
  readonly #gates = new Map<string, Gate>()

  close(key: string, ms: number): void {
    const gate = this.#gates.get(key) ?? { until: 0, waiting: 0, tail: Promise.resolve() }
    gate.until = Math.max(gate.until, Date.now() + ms)
    this.#gates.set(key, gate)
  }

  isClosed(key: string): boolean {
    return (this.#gates.get(key)?.until ?? 0) > Date.now()
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
      if (--gate.waiting === 0 && gate.until <= Date.now()) this.#gates.delete(key)
      passOn()
    }
    try {
      await before
      while (gate.until > Date.now()) await sleep(gate.until - Date.now(), signal)
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }
}
