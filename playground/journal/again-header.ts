import type { IncomingHttpHeaders } from 'node:http'

/** Marks what is sent again from the journal with its entry. No app sends this header, and it is not passed on. */
export const AGAIN_HEADER = 'x-playground-again'

/** A call of a model that belongs to no run says so: a prompt is tried. It goes nowhere from here either. */
export const TRIED_HEADER = 'x-playground-tried'

/** The number of the entry that this is sent again of. */
export function againOf(headers: IncomingHttpHeaders): number | undefined {
  const n = Number(headers[AGAIN_HEADER] ?? 0)
  return Number.isSafeInteger(n) && n > 0 ? n : undefined
}
