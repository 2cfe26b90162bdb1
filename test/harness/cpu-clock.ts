/**
 * Returns a clock of the CPU time that this process uses from now on, in ms. Other processes and pauses do not count.
 */
export function cpuClock(): () => number {
  const from = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  }
}

/**
 * Returns the seconds of CPU that the work takes. Collecting garbage and compiling count too, so work that took `limit`
 * or more is done twice again, and the least is returned.
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
