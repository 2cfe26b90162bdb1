/** Ctrl+C, or whoever stops the process, ends what runs, and with it the process. */
export function endOnSignal(stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(0)))
}
