/** Access to JSON from Slack whose shape nobody guarantees. Nothing here throws. */
export type SlackObject = Record<string, unknown>

/** Returns the object, or an empty one for anything else. */
export function objectOf(value: unknown): SlackObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SlackObject) : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a text, or a number as text; '' for anything else. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Returns the parts that are not blank, each on its own line. */
export function lines(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n')
}
