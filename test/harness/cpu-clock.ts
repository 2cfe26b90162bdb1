/** Returns a clock of this process's CPU time from now on, in ms. Other processes and pauses do not count. */
export function cpuClock(): () => number {
  const from = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  }
}

/**
 * Returns the seconds of CPU that the work takes. Garbage collection and compilation count, so work that took `limit`
 * or more is repeated twice, and the minimum is returned.
 */
export function cpuSeconds(work: () => unknown, limit = Infinity): number {
  let min = Infinity
  for (let tries = 0; tries < 3 && min >= limit; tries++) {
    const clock = cpuClock()
    work()
    min = Math.min(min, clock() / 1000)
  }
  return min
}
