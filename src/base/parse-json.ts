/** Parses untrusted JSON. Returns undefined if it is invalid, and never throws. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns whether a value is an object and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * JSON whose numbers keep their digits: `JSON.parse` rounds whole numbers over 2^53 and drops the end of `12.10`. A
 * number that it would change becomes a text with this mark, a noncharacter of Unicode. Such a text survives copies,
 * checks and stores, and is a number again when it is written.
 */
const MARK = '\ufdd0'
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/
const MARKED_VALUE = /(?<=^|[:,[\s])"\ufdd0(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)"(?=[,\]}\s]|$)/g
/** Values that are nested deeper stay as they are. */
const MAX_DEPTH = 100

/** Parses untrusted JSON like `parseJson`. Numbers that would change are marked. */
export function parseExact(text: string): unknown {
  const value = parseJson(text)
  if (value === undefined) return undefined
  const marked = markNumbers(text)
  return marked === text ? value : parseJson(marked)
}

/** The JSON of a value, with the digits of its marked numbers. Undefined values become an empty text. */
export function stringifyExact(value: unknown, indent?: number): string {
  return unmarkJson(JSON.stringify(value === undefined ? '' : value, null, indent))
}

/** Writes the marked numbers of a JSON text as numbers. */
export function unmarkJson(json: string): string {
  return json.includes(MARK) ? json.replace(MARKED_VALUE, '$1') : json
}

/** The number, or a marked text if a number would be written otherwise. `1e3` is 1000. */
export function exactNumber(source: string): number | string {
  const value = Number(source)
  const isSame = String(value) === source || (/e/i.test(source) && Number.isSafeInteger(value))
  return isSame || !WHOLE_NUMBER.test(source) ? value : MARK + source
}

/** The digits of a marked number. Undefined for every other value. */
export function digitsOf(value: unknown): string | undefined {
  const digits = typeof value === 'string' && value.startsWith(MARK) ? value.slice(1) : undefined
  return digits !== undefined && WHOLE_NUMBER.test(digits) ? digits : undefined
}

/** Text of a model without marks: the digits alone. */
export function withoutMarkedNumbers(text: string): string {
  return unmarkJson(text).replaceAll(MARK, '')
}

/** The value itself, or its JSON if it has a marked number. */
export function writtenInput(value: unknown): unknown {
  return hasMarked(value) ? stringifyExact(value) : value
}

/** Reverses `writtenInput`: an object as JSON whose numbers would change. Every other value stays. */
export function markedInput(value: unknown): unknown {
  const read = typeof value === 'string' && /^\s*\{/.test(value) ? parseExact(value) : undefined
  return hasMarked(read) ? read : value
}

/** Marked numbers as numbers, rounded if they have to be. */
export function roundedNumbers(value: unknown): unknown {
  return mapMarked(value, Number)
}

/**
 * Marked numbers in one notation: as numbers where that is the same value, such as 12.1 for `12.10`, otherwise marked.
 */
export function comparableNumbers(value: unknown): unknown {
  return mapMarked(value, (digits) => {
    const exact = scientific(digits)
    return exact === scientific(String(Number(digits))) ? Number(digits) : MARK + exact
  })
}

/** A decimal number without zeros at its ends: `12e-1` for `1.20`. */
function scientific(digits: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(digits) ?? []
  const all = (whole + fraction).replace(/^0+/, '')
  let end = all.length
  while (all[end - 1] === '0') end -= 1
  return end === 0 ? '0' : `${sign}${all.slice(0, end)}e${Number(exponent) - fraction.length + all.length - end}`
}

/** Marked numbers as numbers. A whole number that would be rounded becomes its digits as text. */
export function safeNumbers(value: unknown): unknown {
  return mapMarked(value, (digits) => (isRoundedWhole(digits) ? digits : Number(digits)))
}

/** Marked numbers as numbers, except whole ones that would be rounded: they stay marked. */
export function withLargeMarked(value: unknown): unknown {
  return mapMarked(value, (digits) => (isRoundedWhole(digits) ? MARK + digits : Number(digits)))
}

const isRoundedWhole = (digits: string) => Number.isInteger(Number(digits)) && !Number.isSafeInteger(Number(digits))

/** Marked numbers as their digits, for people. */
export function numbersAsText(value: unknown): unknown {
  return mapMarked(value, (digits) => digits)
}

function mapMarked(value: unknown, map: (digits: string) => unknown, depth = 0): unknown {
  const digits = digitsOf(value)
  if (digits !== undefined) return map(digits)
  if (depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((one) => mapMarked(one, map, depth + 1))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapMarked(one, map, depth + 1)]))
}

function hasMarked(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return digitsOf(value) !== undefined
  return depth <= MAX_DEPTH && Object.values(value).some((one) => hasMarked(one, depth + 1))
}

/** Puts numbers that would change into quotes, with the mark. `json` is valid JSON. */
function markNumbers(json: string): string {
  let [marked, from] = ['', 0]
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') at = stringEnd(json, at)
    NUMBER.lastIndex = at
    const source = /[-\d]/.test(json[at] ?? '') ? NUMBER.exec(json)?.[0] : undefined
    if (source === undefined) continue
    const number = exactNumber(source)
    if (typeof number === 'string') {
      marked += `${json.slice(from, at)}"${number}"`
      from = at + source.length
    }
    at += source.length - 1
  }
  return marked + json.slice(from)
}

/** The offset of the quote that ends the string at `start`. */
function stringEnd(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
