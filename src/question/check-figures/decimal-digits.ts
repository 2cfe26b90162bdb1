/** Reads the decimal digits and number signs of all scripts. */

const SIGNS: Record<string, string> = { '٫': '.', '٬': ',', '٪': '%', '％': '%', '．': '.', '，': ',', '：': ':' }
const SIGN_BY_DIGIT = /(?<=[0-9])[٫٬．，：](?=[0-9])|[٪％]/g

/**
 * Returns the text with each decimal digit (Unicode's Nd) as 0 to 9, and the signs between them. Digits outside the
 * Basic Multilingual Plane become shorter; all others keep their offsets.
 */
export function asciiDigits(text: string): string {
  if (!/[^\u0000-\u007f]/.test(text)) return text
  return text
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => String(valueOf(digit.codePointAt(0)!)))
    .replace(SIGN_BY_DIGIT, (sign) => SIGNS[sign]!)
}

const values = new Map<number, number>()

/** Unicode encodes the digits of a script in a row, from zero to nine. */
function valueOf(code: number): number {
  const known = values.get(code)
  if (known !== undefined) return known
  let zero = code
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  const value = (code - zero) % 10
  values.set(code, value)
  return value
}
