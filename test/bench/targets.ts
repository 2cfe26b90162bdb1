import { availableParallelism, loadavg } from 'node:os'

/** The share of the cores that may be at work before a bench starts: more slows what is measured. */
const MAX_LOAD = 0.5

/** Read when the bench starts, before its own work counts. */
const loadAtStart = loadavg()[0] ?? 0

/** Formats a measured number with its maximum: `0.54 (at most 0.8: held)`. */
export function atMost(value: number, most: number): string {
  return `${shown(value)} (at most ${most}: ${verdict(value <= most)})`
}

export function atLeast(value: number, least: number): string {
  return `${shown(value)} (at least ${least}: ${verdict(value >= least)})`
}

/** A target that is missed while the machine does something else proves nothing. `load`: that of the last minute. */
export function verdict(isHeld: boolean, load = loadAtStart, cores = availableParallelism()): string {
  if (isHeld) return 'held'
  if (load <= cores * MAX_LOAD) return 'NOT HELD'
  const busy = `load ${load.toFixed(1)} on ${cores} cores before the start`
  return `not judged, the machine was busy: ${busy}. Run it again when it is idle`
}

function shown(value: number): string {
  return value >= 20 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(2)
}
