import { z } from 'zod'

/** In characters. A query leaves for the tool's host, so it has room for what is looked for and not for a conversation. */
export const MAX_QUERY = 300

/** A text cut to `most` characters, with no half of a character at its end. */
export function cutTo(text: string, most: number): string {
  return text.length > most ? text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '') : text
}

/** The schema of every text that a built-in tool looks for: without blanks around it, the longer ones cut. */
export function queryText(most = MAX_QUERY): z.ZodString {
  return z.string().overwrite((text) => cutTo(text.trim(), most))
}

/** The same cut for a query that comes from elsewhere, such as a wiki's "did you mean". */
export function cutQuery(text: string): string {
  return cutTo(text, MAX_QUERY)
}
