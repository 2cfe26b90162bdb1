import { messageOf } from '../base/errors.ts'
import type { StoreLog } from '../base/store-log.ts'
import { oncePerMinute } from '../base/log.ts'

/**
 * Logs the errors of BullMQ's own loops. They retry several times a second for as long as Redis is away or full, so an
 * error is logged at once and then once a minute, with how often it occurred in between.
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
