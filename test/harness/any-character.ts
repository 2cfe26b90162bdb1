import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Any character of Unicode, for fast-check's `binary` strings. Its own arbitrary first builds a map of all 1.1 million
 * characters, which takes a second in each worker.
 */
export const anyCharacter = fc.nat(0x10ffff - SURROGATES.count).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1) throw new Error('not a character')
    const point = text.codePointAt(0) ?? 0
    return point < SURROGATES.first ? point : point - SURROGATES.count
  },
)
