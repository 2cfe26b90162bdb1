/** Makes marks beside punctuation in a streamed message be read as the model meant them. */

/** Scripts that put no space around words and punctuation. */
export const UNSPACED = /[\u3000-\u303f\uff00-\uffef\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/u

/** Bold, struck and slanted text on one line. */
const PAIRS =
  /(?<![*\\])(\*\*)(?![\s*])(?:[^*\n]|\*(?!\*)){0,400}?(?<![\s*])\*\*(?!\*)|(?<![~\\])(~~)(?![\s~])[^~\n]{0,400}?(?<![\s~])~~(?!~)|(?<![*\\])(\*)(?![\s*])[^*\n]{1,400}?(?<![\s*])\*(?!\*)/g
const SIGN = /[\p{P}\p{S}]/u
const OUTSIDE = /[\s\p{P}\p{S}]/u
const ZERO_WIDTH_SPACE = '\u200b'

/**
 * CommonMark reads `：**` before a letter as no end of bold, and `**「` behind one as no beginning. A zero-width space
 * between the mark and the sign is neither space nor punctuation, so both count.
 * @param masked the line with its code, links and addresses as plain letters, of the same length
 */
export function withEdges(line: string, masked: string, isLineStart: boolean): string {
  const places: number[] = []
  for (const { 0: pair, 1: strong, 2: struck, 3: slanted, index } of masked.matchAll(PAIRS)) {
    const { length } = strong ?? struck ?? slanted ?? ''
    const end = index + pair.length
    const before = line[index - 1] ?? (isLineStart ? ' ' : 'x')
    const [first = '', last = '', after = ' '] = [line[index + length], line[end - length - 1], line[end]]
    // `a*(b)*c` is a product.
    if (slanted && ![before, first, last, after].some((one) => UNSPACED.test(one))) continue
    if (SIGN.test(first) && !OUTSIDE.test(before)) places.push(index + length)
    if (SIGN.test(last) && !OUTSIDE.test(after)) places.push(end - length)
  }
  return [0, ...places].map((at, i) => line.slice(at, places[i])).join(ZERO_WIDTH_SPACE)
}
