/** Returns a clock of the CPU time that this process uses from now on, in ms. Other processes and pauses do not count. */
export function cpuClock(): () => number {
  const from = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  }
}
