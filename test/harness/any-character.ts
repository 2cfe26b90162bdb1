import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Any character of Unicode: the unit of strings that fast-check calls `binary`. Its own first makes a map of all 1.1
 * million, which takes a second in each worker.
 */
export const anyCharacter = fc.nat(0x10ffff - SURROGATES.count).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1) throw new Error('not a character')
    const point = text.codePointAt(0) ?? 0
    return point < SURROGATES.first ? point : point - SURROGATES.count
  },
)
