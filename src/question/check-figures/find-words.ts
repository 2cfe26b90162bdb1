/** Finds quoted words and names in a text. */

/**
 * Lower case, and a space after each word and number: marks, line breaks and numbers of notes (`[2]`) do not matter.
 */
export function wordsOf(text: string): string {
  const words = text
    .replace(/\[\d{1,3}\]/g, ' ')
    .replace(/[[\]'’‘*_`]/g, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return words ? ` ${words.join(' ')} ` : ''
}

/** Returns whether `wanted` is in the text, and not only as a part of a longer name. */
export function containsWhole(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const isPart = /[\p{L}\p{N}]/u.test(text[at - 1] ?? '') || /[\p{L}\p{N}]/u.test(text[at + wanted.length] ?? '')
    if (!isPart) return true
  }
  return false
}
