/** Reads the attributes of a page's tags, which anybody may have written. */

export function numberIn(text: string | undefined): number {
  return /^\d{1,5}$/.test(text ?? '') ? Number(text) : 1
}

/** @returns an empty text if the target says nothing to a reader */
export function targetOf(href = ''): string {
  const target = href.trim()
  return /^(?:#|javascript:|data:)/i.test(target) || target.length > 500 ? '' : target
}
