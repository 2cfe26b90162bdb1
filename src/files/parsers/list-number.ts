import { columnLetters } from '../section-units.ts'

/** Returns the number of a list's item as HTML (`a`, `i`) and Word (`lowerLetter`, `lowerRoman`) name its form. */
export function listNumber(number: number, form: string): string {
  const write = number >= 1 && number <= 4999 ? FORMS.get(WORDS.get(form) ?? form) : undefined
  return write?.(number) ?? String(number)
}

const FORMS = new Map<string, (number: number) => string>(
  Object.entries({
    a: (number) => columnLetters(number).toLowerCase(),
    A: columnLetters,
    i: roman,
    I: (number) => roman(number).toUpperCase(),
    decimalZero: (number) => String(number).padStart(2, '0'),
    ordinal: (number) => `${number}${ordinalEnd(number)}`,
  } satisfies Record<string, (number: number) => string>),
)
const WORDS = new Map([
  ['lowerLetter', 'a'],
  ['upperLetter', 'A'],
  ['lowerRoman', 'i'],
  ['upperRoman', 'I'],
])

function ordinalEnd(number: number): string {
  const isTeen = Math.floor((number % 100) / 10) === 1
  return (isTeen ? undefined : ['th', 'st', 'nd', 'rd'][number % 10]) ?? 'th'
}

const ROMAN = { m: 1000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 }

function roman(number: number): string {
  let rest = number
  let text = ''
  for (const [letter, value] of Object.entries(ROMAN)) for (; rest >= value; rest -= value) text += letter
  return text
}

/** A list of HTML whose items are being read. */
export interface OpenList {
  isOrdered: boolean
  next: number
  step: number
  type: string
}

/** Opens a list by its element and attributes. */
export function openList(name: string, { start, type = '1', reversed }: Record<string, string>): OpenList {
  const first = Number(start ?? 1)
  const next = Number.isSafeInteger(first) ? first : 1
  // A reversed list begins with the number of its items, which is not known yet.
  const isOrdered = name === 'ol' && (reversed === undefined || start !== undefined)
  return { isOrdered, next, step: reversed === undefined ? 1 : -1, type }
}

/** Returns the mark before the next item, and counts it. */
export function nextMark(list: OpenList | undefined, { value }: Record<string, string>): string {
  if (!list?.isOrdered) return '- '
  if (value && /^-?\d{1,9}$/.test(value)) list.next = Number(value)
  const mark = `${listNumber(list.next, list.type)}. `
  list.next += list.step
  return mark
}
