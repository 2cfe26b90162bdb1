import type { Json } from '../slack/types.ts'

/** A fault to inject into the Web API. */
export interface Fault {
  /** A method's name, a beginning such as `chat.*`, `response_url`, or `*` for all (the default). */
  method?: string
  /** Limits the fault to calls about this channel. */
  channel?: string
  /** Limits the fault to calls whose arguments this accepts. */
  where?: (args: Json) => boolean
  /** The number of calls that it affects: 1, or with `probability` all. */
  times?: number
  /** The HTTP status of the answer; 429 for a `retryAfter`. */
  status?: number
  /** Slack's error in the answer's body. */
  error?: string
  /** Seconds in a Retry-After header. */
  retryAfter?: number
  /** Cuts the connection before the call takes effect. */
  dropBefore?: boolean
  /** Cuts the connection after the call took effect, before its answer. */
  dropAfter?: boolean
  /** The call takes effect at once, but its answer waits for this promise. */
  hold?: Promise<unknown>
  /** A pause before the call is handled. */
  delayMs?: number
  /** The probability of hitting a call, from 0 to 1; repeatable by `seed`. */
  probability?: number
  seed?: number
}

/** A fault that still waits for calls. */
interface Armed extends Fault {
  left: number
  random: () => number
}

/** The next faults. */
export interface Faults {
  add(fault: Fault): void
  clear(): void
  /** Returns the fault of this call, if there is one, and counts it. */
  take(method: string, args: Json): Fault | undefined
}

export function createFaults(): Faults {
  const armed: Armed[] = []
  return {
    add(fault) {
      const left = fault.times ?? (fault.probability === undefined ? 1 : Infinity)
      armed.push({ ...fault, left, random: randomFrom(fault.seed ?? 1) })
    },
    clear: () => void armed.splice(0),
    take(method, args) {
      const fault = armed.find(
        (one) => one.left > 0 && fits(one, method, args) && one.random() < (one.probability ?? 1),
      )
      if (fault) fault.left -= 1
      return fault
    },
  }
}

/** Returns whether a method matches a name, which may end in `*`. */
function fits(fault: Fault, method: string, args: Json): boolean {
  const name = fault.method ?? '*'
  const named = name.endsWith('*') ? method.startsWith(name.slice(0, -1)) : method === name
  const inChannel = fault.channel === undefined || fault.channel === (args['channel'] ?? args['channel_id'])
  return named && inChannel && (fault.where?.(args) ?? true)
}

/**
 * Returns a generator of numbers from 0 to 1, repeatable by its seed (a linear congruential generator, constants of
 * Numerical Recipes).
 */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
