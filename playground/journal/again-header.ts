import type { IncomingHttpHeaders } from 'node:http'

/**
 * The header of a request that is sent again from the journal: the number of its entry. Apps do not send it, and it is
 * not forwarded.
 */
export const AGAIN_HEADER = 'x-playground-again'

/** The header of a model call that tries a prompt and belongs to no run. It is not forwarded. */
export const TRIED_HEADER = 'x-playground-tried'

/** Returns the number of the entry that a request repeats. */
export function againOf(headers: IncomingHttpHeaders): number | undefined {
  const n = Number(headers[AGAIN_HEADER] ?? 0)
  return Number.isSafeInteger(n) && n > 0 ? n : undefined
}
