/** Calls `stop`, and then ends the process, on SIGINT, SIGTERM and SIGHUP. */
export function endOnSignal(stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(0)))
}
