import { z } from 'zod'
import { cutText } from '../src/base/cut-text.ts'

/** Characters. A query is sent to the tool's host, so it must not be long enough to hold a conversation. */
export const MAX_QUERY = 300

/** The schema of every query to a built-in tool: trims and truncates it. */
export function queryText(max = MAX_QUERY): z.ZodString {
  return z.string().overwrite((text) => cutText(text.trim(), max))
}

/** Truncates a query that does not come from the model, such as a wiki's "did you mean". */
export function cutQuery(text: string): string {
  return cutText(text, MAX_QUERY)
}
