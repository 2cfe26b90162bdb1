/** A text that should be JSON, as what it holds; undefined where it is none. For what others may have written: nothing is thrown. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
