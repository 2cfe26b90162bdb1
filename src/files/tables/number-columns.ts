/** Reads a column as numbers: which decimal mark it has, its units, and what a number cannot keep. */
import { reading, type ColumnReading, type Conventions } from './column-reading.ts'
import { decimalOf, exactNumber, isEitherWay, PLAIN, plainDigits, writtenNumber, type Decimal } from './numbers.ts'

/** A whole number from a thousand on, without marks and without zeros before it. */
const PLAIN_THOUSANDS = /^-?[1-9]\d{3,}$/
/** A fraction that can only have a point. */
const PLAIN_FRACTION = /^-?(?:0|[1-9]\d*)\.\d{1,2}$/

export function numbers(filled: readonly string[], conventions: Conventions): ColumnReading {
  const facts = numberFacts(filled)
  const { decimal, note } = chosenDecimal(facts, conventions)
  let isLong = false
  const read = (cell: string) => {
    // A double keeps 15 digits.
    if (cell.length <= 15 && PLAIN.test(cell) && (decimal === 'point' || !cell.includes('.'))) return Number(cell)
    const one = writtenNumber(cell)
    const plain = one && plainDigits(one.digits, decimal)
    if (plain === undefined || !one) return undefined
    const value = exactNumber(plain, one)
    if (value === undefined) isLong = true
    return value
  }
  const named = [...facts.units.keys()].filter((unit) => unit !== '')
  const isUnitText = named.length > Math.max(8, facts.count / 10)
  const column = reading('decimal', isUnitText || facts.count === 0 ? [] : filled, read)
  const long = isLong ? 'its numbers have more digits than a number keeps' : undefined
  const asText = facts.hasZeros ? 'its numbers begin with zeros' : long
  const notes = [...note, ...unitNotes(facts.units, named)]
  return { ...column, fits: isLong ? facts.count : column.fits, notes, units: named.length > 1, asText }
}

function unitNotes(units: ReadonlyMap<string, number>, named: readonly string[]): string[] {
  if (named.length === 0) return []
  const counted = [...units].map(([unit, count]) => `${unit === '' ? 'no unit' : unit} ${count}`).slice(0, 6)
  if (named.length > 1)
    return [`its units differ (${counted.join(', ')}), so do not add them up; the column "… unit" has each cell's.`]
  return [`in ${named[0]}${units.has('') ? ` (${units.get('')} without it)` : ''}.`]
}

/** What the numbers of a column show together. A column may have a million cells, so none of them is kept. */
function numberFacts(cells: readonly string[]) {
  const units = new Map<string, number>()
  const votes = { point: 0, comma: 0 }
  const facts = { count: 0, units, votes, hasZeros: false, open: '', areThousands: true, hasPlainThousand: false }
  let plain = 0
  for (const cell of cells) {
    // Most numbers have no marks, and say nothing about them.
    if (PLAIN_THOUSANDS.test(cell)) {
      plain += 1
      continue
    }
    if (PLAIN_FRACTION.test(cell)) {
      votes.point += 1
      plain += 1
      continue
    }
    const written = writtenNumber(cell)
    if (!written) continue
    const { digits, unit } = written
    facts.count += 1
    if (units.size < MAX_UNITS || units.has(unit)) units.set(unit, (units.get(unit) ?? 0) + 1)
    if (/^0\d+$/.test(digits)) facts.hasZeros = true
    const decimal = decimalOf(digits)
    if (decimal) votes[decimal] += 1
    const isOpen = isEitherWay(digits)
    if (isOpen) facts.open ||= digits
    // `850` beside `1.200`: fractions do not all have three digits, and whole numbers under a thousand have no mark.
    const isShort = /^\d{1,3}$/.test(digits)
    if (!isOpen && !isShort) facts.areThousands = false
    if (isShort || (isOpen && digits.endsWith('000'))) facts.hasPlainThousand = true
  }
  if (plain > 0) {
    facts.count += plain
    facts.areThousands = false
    units.set('', (units.get('') ?? 0) + plain)
  }
  return facts
}

const MAX_UNITS = 1000

/** Returns the decimal mark of a column, and a sentence if it is a guess. */
function chosenDecimal(
  { votes, open, areThousands, hasPlainThousand }: ReturnType<typeof numberFacts>,
  { decimal: common, isExact }: Conventions,
): { decimal: Decimal; note: string[] } {
  if (votes.point + votes.comma > 0) return { decimal: votes.comma > votes.point ? 'comma' : 'point', note: [] }
  if (open === '') return { decimal: common ?? 'point', note: [] }
  const hasComma = open.includes(',')
  // A workbook stores numbers with a point. Elsewhere a lone `1,234` is likelier a thousand than a fraction.
  const isCanonical = isExact && !hasComma
  const isThousand = hasComma || (areThousands && hasPlainThousand)
  const decimal: Decimal = isCanonical ? 'point' : (common ?? (isThousand ? other(hasComma) : 'point'))
  const as = plainDigits(open, decimal)
  return { decimal, note: isCanonical ? [] : [`a number such as ${open} could be read two ways; it is read as ${as}.`] }
}

const other = (hasComma: boolean): Decimal => (hasComma ? 'point' : 'comma')
