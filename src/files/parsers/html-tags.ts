/** HTML's elements by name, in lower case, and their attributes, which anybody may have written. */
export type Attributes = Record<string, string>

export const words = (text: string) => new Set(text.split(' '))

/** Elements whose content is no text of the page. */
export const DROPPED = words('script style template svg math noscript iframe object canvas select title head rp')
export const BLOCKS = words(
  'p div section article aside header footer nav main figure figcaption blockquote pre ul ol li dl dt dd table thead ' +
    'tbody tfoot tr caption h1 h2 h3 h4 h5 h6 hr form fieldset address details summary body html',
)
export const STRUCK = words('del s strike')

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
const SILENT_INPUTS = words('hidden password submit button reset image file color range')

/** The tick or the value of an `<input>`. */
export function shownInput({ type = 'text', value = '', checked }: Record<string, string>): string {
  if (/^(?:checkbox|radio)$/i.test(type)) return checked === undefined ? '☐ ' : '☒ '
  return SILENT_INPUTS.has(type.toLowerCase()) ? '' : ` ${value.slice(0, MAX_IN_ATTRIBUTE)} `
}

/** An entry of a list to choose from. */
export interface ListEntry {
  text: string
  isChosen: boolean
}

/** Returns what is chosen, or the first entry. */
export function shownChoice(choices: readonly ListEntry[]): string {
  const chosen = choices.filter(({ isChosen }) => isChosen)
  return (chosen.length > 0 ? chosen : choices.slice(0, 1)).map(({ text }) => text.trim()).join(', ')
}
