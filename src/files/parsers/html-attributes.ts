/** Reads the attributes of a page's tags, which anybody may have written. */

export function numberIn(text: string | undefined): number {
  return /^\d{1,5}$/.test(text ?? '') ? Number(text) : 1
}

/** @returns an empty text if the target says nothing to a reader */
export function targetOf(href = ''): string {
  const target = href.trim()
  return /^(?:#|javascript:|data:)/i.test(target) || target.length > 500 ? '' : target
}

export const MAX_IN_ATTRIBUTE = 2000
/** Controls whose value no reader of the page sees as content. */
const SILENT_INPUTS = new Set('hidden password submit button reset image file color range'.split(' '))

/** The tick or the value of an `<input>`. */
export function shownInput({ type = 'text', value = '', checked }: Record<string, string>): string {
  if (/^(?:checkbox|radio)$/i.test(type)) return checked === undefined ? '☐ ' : '☒ '
  return SILENT_INPUTS.has(type.toLowerCase()) ? '' : ` ${value.slice(0, MAX_IN_ATTRIBUTE)} `
}

/** Returns the words of a text as a set. */
export const words = (text: string) => new Set(text.split(' '))
