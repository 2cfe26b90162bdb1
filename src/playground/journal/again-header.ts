import type { IncomingHttpHeaders } from 'node:http'

/** What is sent again from the journal says of which entry it is. No app sends this, and it goes nowhere from here. */
export const AGAIN_HEADER = 'x-playground-again'

/** The number of the entry that this is sent again of. */
export function againOf(headers: IncomingHttpHeaders): number | undefined {
  const n = Number(headers[AGAIN_HEADER] ?? 0)
  return Number.isSafeInteger(n) && n > 0 ? n : undefined
}
