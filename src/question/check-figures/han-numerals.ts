/** Reads numbers that are written in Chinese characters: 二千五百, 一百二十七, 二〇二六. */

const DIGITS = '〇一二三四五六七八九'
const SMALL: Record<string, number> = { 十: 10, 百: 100, 千: 1e3 }
const LARGE: Record<string, number> = { 万: 1e4, 萬: 1e4, 億: 1e8, 亿: 1e8, 兆: 1e12 }

/** One digit or several, for years. Also 0 to 9. */
const HAN_DIGIT = '[\\d〇零一二三四五六七八九]'
/** A number under a hundred, or digits. */
export const HAN_SMALL = '[\\d〇零一二三四五六七八九十两兩元]{1,3}'

/**
 * A number with a digit and a scale. A single character is mostly grammar (一般, 十分, 万一), and some names are numbers
 * (八百屋, 四万十川).
 */
export const HAN_NUMBER =
  /(?<![\d〇零一二三四五六七八九十百千万萬億亿兆])(?:[一二三四五六七八九两兩][〇零一二三四五六七八九两兩]*[十百千万萬億亿兆]|[十百千][一二三四五六七八九])[〇零一二三四五六七八九两兩十百千万萬億亿兆]{0,20}(?![\d〇零一二三四五六七八九十百千万萬億亿兆屋嵐川里島神間])/g

/** @returns undefined if the text is no number. `元` is the first year of an era. */
export function hanNumber(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text)
  if (text === '元') return 1
  let [total, section, digits] = [0, 0, '']
  const take = () => {
    const value = digits === '' ? 1 : Number(digits)
    digits = ''
    return value
  }
  for (const one of text) {
    const digit = digitOf(one)
    if (digit >= 0) digits += String(digit)
    else if (SMALL[one] !== undefined) section += take() * SMALL[one]
    else if (LARGE[one] !== undefined) {
      const below = section + (digits === '' && section > 0 ? 0 : take())
      total += below * LARGE[one]
      section = 0
    } else return undefined
  }
  return total + section + (digits === '' ? 0 : Number(digits))
}

function digitOf(one: string): number {
  if (/\d/.test(one)) return Number(one)
  return one === '零' ? 0 : /[两兩]/.test(one) ? 2 : DIGITS.indexOf(one)
}

const ERAS: Record<string, number> = { 令和: 2018, 平成: 1988, 昭和: 1925, 大正: 1911, 民國: 1911, 民国: 1911 }

/** The year in a date: `2026`, 二〇二六, 令和8. */
export const HAN_YEAR = `(\\d{4}|${HAN_DIGIT}{4}|(?:${Object.keys(ERAS).join('|')})${HAN_SMALL})`

/** The years that are written in eras: 令和4年度. */
export function eraYearsIn(text: string): number[] {
  return [...text.matchAll(ERA_YEAR)].map(([written]) => yearOf(written)).filter(Number.isFinite)
}

const ERA_YEAR = new RegExp(`(?:${Object.keys(ERAS).join('|')})${HAN_SMALL}(?=年)`, 'g')

export function yearOf(written: string): number {
  const era = ERAS[written.slice(0, 2)]
  return (era ?? 0) + (hanNumber(era === undefined ? written : written.slice(2)) ?? NaN)
}
