/** Finds words, names and digits in texts as they are written. Each look-up returns the indexes of the texts. */
export class WordIndex {
  readonly texts: readonly string[]
  #lower: string[] | undefined
  #words: string[] | undefined
  #compact: string[] | undefined
  #hasPowers: boolean | undefined

  constructor(texts: readonly string[]) {
    this.texts = texts
  }

  /** True if a number is written with an exponent, and so with its first digits only. */
  get hasPowers(): boolean {
    return (this.#hasPowers ??= this.texts.some((text) => /\d[eE]\+?\d{2}(?!\d)/.test(text)))
  }

  /** Finds words in a row, ignoring everything between words. An ellipsis stands for any words. */
  quotation(quoted: string): number[] {
    this.#words ??= this.texts.map(wordsOf)
    const parts = quoted.split(/\s*(?:\.{3,}|…|\[\.{3}\]|\[…\])\s*/).map((part) => wordsOf(part).trimEnd())
    return indexesOf(this.#words, (words) => {
      let at = 0
      return parts.every((part) => {
        if (part === '') return true
        const found = words.indexOf(`${part} `, at)
        at = found + part.length
        return found >= 0
      })
    })
  }

  /** Finds a name or an address, in any case. */
  literal(name: string): number[] {
    this.#lower ??= this.texts.map((text) => text.toLowerCase())
    const wanted = name.toLowerCase()
    return indexesOf(this.#lower, (text) => containsWhole(text, wanted))
  }

  /** Finds a long id, which may be written in groups. */
  compact(id: string): number[] {
    this.#compact ??= this.texts.map((text) => text.replace(/[ \u00a0-]/g, '').toLowerCase())
    const wanted = id.toLowerCase()
    return indexesOf(this.#compact, (text) => text.includes(wanted))
  }

  /** Finds digits, with or without separators of groups if there are few of them. */
  digits(digits: string): number[] {
    if (digits.length > MAX_GROUPED) return this.literal(digits)
    const grouped = new RegExp(`(?<!\\d)${digits.split('').join("[ ,.'\u00a0\u202f]?")}(?!\\d)`)
    return indexesOf(this.texts, (text) => grouped.test(text))
  }
}

/** Nobody groups more digits. */
const MAX_GROUPED = 100

export function indexesOf(texts: readonly string[], test: (text: string) => boolean): number[] {
  return [...texts.keys()].filter((i) => test(texts[i] ?? ''))
}

/**
 * Lower case, and a space after each word and number: marks, line breaks and numbers of notes (`[2]`) do not matter.
 */
function wordsOf(text: string): string {
  const words = text
    .replace(/\[\d{1,3}\]/g, ' ')
    .replace(/[[\]'’‘*_`]/g, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return words ? ` ${words.join(' ')} ` : ''
}

/** Returns whether `wanted` is in the text, and not only as a part of a longer name. */
function containsWhole(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const isPart = /[\p{L}\p{N}]/u.test(text[at - 1] ?? '') || /[\p{L}\p{N}]/u.test(text[at + wanted.length] ?? '')
    if (!isPart) return true
  }
  return false
}
