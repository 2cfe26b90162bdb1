import type { IncomingHttpHeaders } from 'node:http'

/**
 * The header of a request that is sent again from the journal, with the number of its entry. No app sends it, and it is
 * not passed on.
 */
export const AGAIN_HEADER = 'x-playground-again'

/** The header of a model call that belongs to no run, because a prompt is tried. It is not passed on either. */
export const TRIED_HEADER = 'x-playground-tried'

/** Returns the number of the entry that a request repeats. */
export function againOf(headers: IncomingHttpHeaders): number | undefined {
  const n = Number(headers[AGAIN_HEADER] ?? 0)
  return Number.isSafeInteger(n) && n > 0 ? n : undefined
}
