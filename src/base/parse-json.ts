/** Parses untrusted JSON. Returns undefined if it is invalid, and never throws. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
