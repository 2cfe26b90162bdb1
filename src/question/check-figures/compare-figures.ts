/** Small rules of the comparison: rounding, totals, counts and other forms of names. */
import type { Figure } from './find-figures.ts'
import type { Numeral, Reading } from './numbers.ts'

/** A double cannot tell such numbers apart, so they are compared as they are written. */
export const MANY_DIGITS = /^\d{16,}$/

/** Rounding to one digit changes a number by this much at most, unless the answer says `about`. */
const ONE_DIGIT_ERROR = 0.05

/** The reading with the zeros at its end as open places: `3,800,000` may stand for 3,769,495. */
export function rounded(reading: Reading, { isHedged, isYear, text }: Numeral): Reading {
  const { value, tolerance } = reading
  if (/^\d{3}0s$/.test(text)) return { value: value + 4.5, tolerance: 4.5 }
  if (isYear && !isHedged) return { value, tolerance: 0 }
  const unit = 2 * tolerance
  const zeros = /0*$/.exec(String(Math.round(value / (unit || 1))))?.[0].length ?? 0
  const mayRound = isHedged || (value >= 10_000 && digitsOf(value, unit * 10 ** zeros) >= 2)
  const open = mayRound && zeros > 0 && Number.isFinite(unit) ? (unit * 10 ** zeros) / 2 : tolerance
  // `over 3 million`, `nearly 4 million`: rounded down or up.
  return { value, tolerance: isHedged ? 2 * open : open }
}

/** Returns whether a number that was read may be rounded to the written one. */
export function isRounding(read: number, { value, tolerance }: Reading, { isHedged }: Numeral): boolean {
  if (isHedged || digitsOf(value, 2 * tolerance) >= 2) return true
  return Math.abs(read - value) <= ONE_DIGIT_ERROR * Math.abs(read) + 1e-12
}

/** The number of digits down to the last place that is given. */
function digitsOf(value: number, unit: number): number {
  return unit > 0 ? String(Math.round(Math.abs(value) / unit)).length : 15
}

/** Returns whether neighbouring figures leave this much of the one before them: `of 240, 148 came and 55 did not`. */
export function isRemainder(listed: readonly number[], { value, tolerance }: Reading): boolean {
  if (value < 10) return false
  return listed.some((whole, i) => {
    let rest = whole
    return listed.slice(i + 1, i + 5).some((part, nth) => {
      rest -= part
      return nth > 0 && Math.abs(rest - value) <= tolerance + 1e-9 * value
    })
  })
}

/** Returns whether three or more neighbouring figures have this sum. */
export function isTotal(listed: readonly number[], { value, tolerance }: Reading): boolean {
  if (value < 10) return false
  for (let from = 0; from < listed.length - 2; from += 1) {
    let sum = listed[from]! + listed[from + 1]!
    for (let to = from + 2; to < Math.min(listed.length, from + 50); to += 1) {
      sum += listed[to]!
      if (Math.abs(sum - value) <= tolerance + 1e-9 * Math.abs(value)) return true
    }
  }
  return false
}

/** How many items the answer's own lists and tables have. */
export function listCounts(answer: string): Set<number> {
  const counts = new Set<number>()
  let [items, rows] = [0, 0]
  for (const line of [...answer.split('\n'), 'end']) {
    if (/^(?:[-*•+]|\(?\d{1,3}[.)])\s/.test(line)) items += 1
    else if (/^\s*\|/.test(line)) rows += 1
    else if (line.trim() !== '' && !/^\s{2,}\S/.test(line)) {
      for (const count of [items, rows - 2]) if (count > 1) counts.add(count)
      items = rows = 0
    }
  }
  return counts
}

/** Returns whether this many things are listed after the number: `the 3 authors are Ada, Bob and Cy`. */
export function enumerates(after: string, count: number): boolean {
  const sentence = /^[^.!?;\n]{0,300}/.exec(after)?.[0] ?? ''
  return count > 1 && count <= 20 && sentence.split(/,\s(?:and\s|or\s)?|\s(?:and|or|&|und)\s/).length === count
}

/** The forms by which a file name or an address is recognised. */
export function formsOf({ kind, text }: Figure): string[] {
  if (kind === 'file') return [text, text.slice(text.lastIndexOf('/') + 1)]
  if (kind !== 'address') return /^\d/.test(text) ? [text, `v${text}`] : [text, text.replace(/^v(?=\d)/i, '')]
  const plain = text
    .replace(/^https?:\/\/(?:www\.)?/i, '')
    .replace(/#.*$/, '')
    .replace(/\/$/, '')
  return [plain, decoded(plain)]
}

function decoded(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

export function formatted(value: number): string {
  return Number.isInteger(value) && value < 10_000
    ? String(value)
    : value.toLocaleString('en-US', { maximumFractionDigits: 4 })
}
