import { messageOf } from '../base/errors.ts'
import type { StoreLog } from '../base/store-log.ts'
import { oncePerMinute } from '../base/log.ts'

/**
 * The log line for what BullMQ meets by itself. Its loops try again several times a second for as long as Redis is away or
 * full, so a fault is said at once and from then on once a minute, with how often it was met between.
 */
export function logThrottle(log: StoreLog, now: () => number): (error: Error) => void {
  const isDue = oncePerMinute(now)
  return (fault) => {
    const error = messageOf(fault)
    const metBetween = isDue(error)
    if (metBetween === undefined) return
    log.warn({ error, ...(metBetween ? { metBetween } : {}) }, 'BullMQ reported an error')
  }
}
