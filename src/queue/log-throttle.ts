import { messageOf } from '../errors.ts'
import type { StoreLog } from '../history/store-log.ts'

/** How long a fault is not said again, in ms. */
const QUIET_MS = 60_000

/** Faults that are remembered; more kinds than a Redis has. */
const MOST_KINDS = 100

/**
 * The log line for what BullMQ meets by itself. Its loops try again several times a second for as long as Redis is away or
 * full, so a fault is said at once and from then on once a minute, with how often it was met between.
 */
export function logThrottle(log: StoreLog, now: () => number): (error: Error) => void {
  const said = new Map<string, { at: number; unsaid: number }>()
  return (fault) => {
    const error = messageOf(fault)
    const last = said.get(error)
    if (last && now() - last.at < QUIET_MS) {
      last.unsaid += 1
      return
    }
    if (said.size >= MOST_KINDS) said.clear()
    said.set(error, { at: now(), unsaid: 0 })
    log.warn({ error, ...(last?.unsaid ? { metBetween: last.unsaid } : {}) }, 'the queue had an error')
  }
}
