import type { Sockets } from '../slack/events/sockets.ts'
import type { FaultSwitches } from './fault-switches.ts'

/**
 * Cuts all open sockets when the switch `socketCut` is turned on, and repeatedly while it is on. Returns a function
 * that ends this.
 */
export function startSocketCutter(faultSwitches: FaultSwitches, sockets: Sockets): () => void {
  let timer: NodeJS.Timeout | undefined
  const unwatch = faultSwitches.watch(({ name }) => {
    if (name !== 'socketCut') return
    clearInterval(timer)
    const seconds = faultSwitches.number('socketCut')
    if (seconds === undefined) return
    sockets.cut()
    timer = setInterval(() => sockets.cut(), seconds * 1000)
    timer.unref()
  })
  return () => {
    unwatch()
    clearInterval(timer)
  }
}
