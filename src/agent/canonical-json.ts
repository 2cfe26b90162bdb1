/**
 * A value as JSON with the keys of each object in order, so that equal values are equal text, and a value that was stored as JSON
 * has the text that it had before. What JSON has no form for is left out or written as JSON.stringify writes it.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sorted) ?? 'null'
}

/** The value as it is once it has been stored as JSON. */
export function plainJson(value: unknown): unknown {
  return JSON.parse(canonicalJson(value))
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
