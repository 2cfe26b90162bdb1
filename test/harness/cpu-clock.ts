/** A clock of the CPU time that this process takes from now on, in ms: what else a busy machine does, or that it stood still, does not count. */
export function cpuClock(): () => number {
  const from = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  }
}
