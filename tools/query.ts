import { z } from 'zod'

/** Characters. A query is sent to the tool's host, so it must not be long enough to hold a conversation. */
export const MAX_QUERY = 300

/** Truncates a text to `max` characters without splitting a surrogate pair. */
export function cutTo(text: string, max: number): string {
  return text.length > max ? text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '') : text
}

/** The schema of every query to a built-in tool: trims and truncates it. */
export function queryText(max = MAX_QUERY): z.ZodString {
  return z.string().overwrite((text) => cutTo(text.trim(), max))
}

/** Truncates a query that does not come from the model, such as a wiki's "did you mean". */
export function cutQuery(text: string): string {
  return cutTo(text, MAX_QUERY)
}
