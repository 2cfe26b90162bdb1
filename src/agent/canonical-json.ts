/**
 * Converts a value to JSON with sorted keys, so that equal values are equal text. A value that was stored as JSON keeps
 * its text. Values without a JSON form are omitted or written as JSON.stringify writes them.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sorted) ?? 'null'
}

/** The value after a round trip through JSON. */
export function plainJson(value: unknown): unknown {
  return JSON.parse(canonicalJson(value))
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
