/** Finds lines in a table that are not data: totals, which would be added twice, and footnotes. */
import { decimalOf, plainDigits, writtenNumber, type Decimal } from './numbers.ts'
import { filledIn, isValue, said, type TableLines } from './table-lines.ts'

const WORDS =
  '(?:grand|sub|sum)?[ -]?totals?|(?:gesamt|zwischen|end|teil)?summen?|(?:ins)?gesamt(?:ergebnis|betrag)?|sums?|subtotal|suma|somme|totale|Σ|∑|(?:balance )?(?:carried|brought) (?:forward|down|over)'
/** A word for a total, with the year or the currency. */
const TOTAL = new RegExp(
  `^(?:${WORDS})(?:[ :]+(?:amount|sum|result|g[eé]n[eé]ral|in|[(]?(?:EUR|USD|GBP|CHF|€|[$]|£|\\d{4})[)]?))*[ :]*$`,
  'i',
)
/** The sum of another page: above or below the rows, or before the next page's. Elsewhere it is a row of its own. */
const CARRIED = /^(?:übertrag|carry-?over)\b[^\d]{0,40}$/i
/** `North Total` below the rows of North, as spreadsheets write it; `Total North`, `Summe North`. */
const BEHIND = new RegExp(`^(.{1,80}?)[ :-]+(?:${WORDS}|ergebnis)$`, 'i')
const BEFORE = new RegExp(`^(?:${WORDS})[ :-]+(?:for |of |für )?(.{1,80})$`, 'i')
/** These stand below the totals: taxes on them, and averages. */
const TAX =
  /^(?:(?:plus|incl\.?|including|excl\.?|zzgl\.?|inkl\.?|enthaltene|davon) )?(?:\d{1,2}(?:[.,]\d+)? ?% ?)?(?:VAT|(?:sales )?tax|GST|MwSt\.?|USt\.?|mehrwertsteuer|umsatzsteuer|TVA|IVA)(?:[ (]{0,2}\d{1,2}(?:[.,]\d+)? ?%\)?)?:?$/i
const AVERAGE = /^(?:average|avg\.?|mean|median|durchschnitt|mittelwert|ø)(?: .{0,40})?:?$/i
const MAX_SAID = 3

/** Leaves out rows of totals, a repeated heading, and footnotes below the last row, and says so in `notes`. */
export function withoutFooter(
  rows: readonly number[],
  lines: TableLines,
  width: number,
  names: readonly string[],
  notes: string[],
): number[] {
  const heading = filledIn(names) > 1 ? said(names) : undefined
  const totals: number[] = []
  let [repeated, last] = [0, -1]
  const kept = rows.filter((row, at) => {
    const first = lines.first(row)
    const next = rows[at + 1]
    const isAtEdge = at === 0 || next === undefined || TOTAL.test(lines.first(next))
    const isCarried = isAtEdge && CARRIED.test(first)
    const isBelowTotal = at > 0 && totals.at(-1) === rows[at - 1]
    const isTotal = isCarried || isTotalRow(row, lines, width, last, isBelowTotal)
    if (isTotal) totals.push(row)
    const isHeading = !isTotal && first === names[0] && heading !== undefined && said(lines.at(row)) === heading
    if (isHeading) repeated += 1
    if (!isTotal && !isHeading) last = row
    return !isTotal && !isHeading
  })
  const below = footnotes(kept, lines, width)
  const body = kept.slice(0, kept.length - below.length)
  if (isUnnamedSum(body, lines)) totals.push(...body.splice(-1))
  const shown = totals.slice(0, MAX_SAID).map((row) => `row ${row}: ${said(lines.at(row)).slice(0, 60)}`)
  const more = totals.length > MAX_SAID ? ` and ${totals.length - MAX_SAID} more` : ''
  if (totals.length > 0) notes.push(`Rows of totals are left out (${shown.join('; ')}${more}).`)
  if (repeated > 0) notes.push(`${repeated} repeated headings are left out.`)
  if (below.length > 0) notes.push(`Below the table: ${below.join(' / ').slice(0, 200)}.`)
  return body
}

/**
 * @param before the last row that was kept
 * @param isBelowTotal whether a total stands right above
 */
function isTotalRow(row: number, lines: TableLines, width: number, before: number, isBelowTotal: boolean): boolean {
  const first = lines.first(row)
  if (first !== '' && !MAYBE_TOTAL.test(first)) return false
  const cells = lines.at(row)
  const at = cells.findIndex((cell) => cell !== '')
  const label = cells[at] ?? ''
  const group = BEHIND.exec(label)?.[1] ?? BEFORE.exec(label)?.[1]
  const isTotal =
    TOTAL.test(label) ||
    (isBelowTotal && (AVERAGE.test(label) || TAX.test(label))) ||
    (group !== undefined && before > 0 && lines.at(before)[at] === group)
  return isTotal && (cells.some(isValue) || width === 1)
}

/** Most rows have none of these, and need not be looked at further. */
const MAYBE_TOTAL =
  /tota|summ|sum|gesamt|ergebnis|somme|Σ|∑|übertrag|carr|brought|av|mean|median|durchsch|mittel|ø|vat|tax|gst|st\.?$|steuer|tva|iva|%/i

function footnotes(rows: readonly number[], lines: TableLines, width: number): string[] {
  const isNote = ([first = '', ...others]: string[]) =>
    width >= 3 && first !== '' && filledIn(others) === 0 && !isValue(first) && /[ :*]/.test(first)
  let last = rows.length
  while (last > 0 && isNote(lines.at(rows[last - 1]))) last -= 1
  return rows.slice(last).map((row) => said(lines.at(row)))
}

/** Returns whether the last row has no name and all of its numbers are the sums of those above it. */
function isUnnamedSum(rows: readonly number[], lines: TableLines): boolean {
  const last = rows.at(-1)
  if (last === undefined || rows.length < 3 || lines.first(last) !== '') return false
  const above = rows.slice(0, -1)
  if (above.some((row) => lines.first(row) === '')) return false
  const wanted = lines.at(last).flatMap((cell, i) => (cell === '' ? [] : [DECIMALS.map((one) => sumOf(cell, i, one))]))
  if (wanted.length === 0 || wanted.some((readings) => readings.every(({ total }) => total === undefined))) return false
  const open = wanted.flat().filter(({ total }) => total !== undefined)
  for (const row of above) {
    const cells = lines.at(row)
    for (const sum of open) {
      const amount = amountOf(cells[sum.column] ?? '', sum.decimal)
      if (amount === undefined) continue
      sum.sum += amount
      sum.count += 1
    }
  }
  return wanted.every((readings) =>
    readings.some(({ total, sum, count }) => total !== undefined && count > 1 && Math.abs(sum - total) < 0.005),
  )
}

const DECIMALS = ['point', 'comma'] as const

/** The sum of a column so far, and what it should be: undefined if the cell is no number in this reading. */
function sumOf(cell: string, column: number, decimal: Decimal) {
  return { column, decimal, total: amountOf(cell, decimal), sum: 0, count: 0 }
}

function amountOf(cell: string, decimal: Decimal): number | undefined {
  const written = writtenNumber(cell)
  const shown = written && decimalOf(written.digits)
  const plain = written && (shown === undefined || shown === decimal) ? plainDigits(written.digits, decimal) : undefined
  return plain === undefined ? undefined : Number(plain) * (written?.negative ? -1 : 1)
}
