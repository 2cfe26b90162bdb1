/** Formats a measured number with its maximum: `0.54 (at most 0.8: held)`. */
export function atMost(value: number, most: number): string {
  return `${shown(value)} (at most ${most}: ${value <= most ? 'held' : 'NOT HELD'})`
}

export function atLeast(value: number, least: number): string {
  return `${shown(value)} (at least ${least}: ${value >= least ? 'held' : 'NOT HELD'})`
}

function shown(value: number): string {
  return value >= 20 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(2)
}
