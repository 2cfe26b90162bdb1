/** Derives figures from numbers that stand together: in a row or record, in a column, under one name. */
import type { QuantityUnit } from './durations.ts'
import { firstFrom, groupsOf, slack } from './sorted-numbers.ts'
import type { Reading } from './numbers.ts'

/** A number with its row and its column. Numbers of one record or sentence have one row. */
export interface PlacedNumber {
  value: number
  isPercent: boolean
  unit?: QuantityUnit | undefined
  at: number
  row: string
  column: string
  /** The words of its row. */
  words: ReadonlySet<string>
  /** The text right beside it, and the name of its column. */
  label: string
  head: string
  /** It is a sum of numbers that were read. */
  isSum?: true
  /** It has no unit, and is only multiplied with or divided into quantities. */
  isFactor?: boolean
  /** The sign or code of its currency. */
  currency?: string | undefined
}

const KINDS = ['plain', 'product', 'ratio', 'percent', 'share', 'points', 'mean', 'total', 'wholeMean'] as const
/** A number, `three times`, a percentage, a difference of percentages, a mean of some; the sum or mean of a list. */
export type ResultKind = (typeof KINDS)[number]
type Results = Record<ResultKind, number[]>

/** Longer rows and columns are not combined: among many numbers, nearly everything follows from some of them. */
const MAX_ROW = 12
const MAX_COLUMN = 24
/** So few numbers are combined across their rows. */
const MAX_FEW = 8
const MAX_GROUPS = 400
const MAX_CELLS = 5000
/** Among so many numbers, those that share a word are added up. */
const MAX_NAMED = 400
/** The sums of so few columns are combined. */
const MAX_SUMMED = 6
/** The maximum number of a figure's ten neighbours that may follow too. */
const MAX_CHANCE: Record<ResultKind, number> = {
  plain: 3,
  product: 3,
  ratio: 6,
  percent: 5,
  share: 4,
  points: 5,
  mean: 4,
  total: 5,
  wholeMean: 6,
}
const NEIGHBOURS = 5
const ROUGH_SHARE = 2
/** A large figure that is rougher than this is near too many results. */
const LARGE = 1000
const MAX_ROUGH = 0.05
/** Small whole numbers are the difference of many pairs. */
const SMALL = 30
const SMALL_CHANCE = 0

/** The results of arithmetic with the numbers of some texts. */
export class RelatedNumbers {
  readonly #cells: readonly PlacedNumber[]
  readonly #maxRough: number
  readonly #chance: number | undefined
  readonly #isStepped: boolean
  /** For each unit, because only quantities of one kind are combined. */
  readonly #results = new Map<string, { results: Results; count: number }>()

  constructor(
    cells: readonly PlacedNumber[],
    { isStepped = false, chance = undefined as number | undefined, maxRough = Infinity } = {},
  ) {
    this.#cells = cells.length > MAX_CELLS ? [] : cells
    this.#maxRough = maxRough
    this.#chance = chance
    this.#isStepped = isStepped
  }

  /** Returns whether a figure follows, and not only because nearly every number does. */
  follows({ value, tolerance }: Reading, kind: ResultKind, unit?: QuantityUnit): boolean {
    const { results: all, count } = this.#resultsIn(unit)
    const results = all[kind]
    const isNear = (one: number) => {
      const more = tolerance + slack(one)
      const found = results[firstFrom(results, (result) => result < one - more)]
      return found !== undefined && found <= one + more
    }
    const size = Math.abs(value)
    if (tolerance > (size < LARGE ? 1 : MAX_ROUGH) * size || tolerance > this.#maxRough * size || !isNear(size))
      return false
    // `two thirds`, `about 40 %`: so rough a share is near many others.
    if (kind === 'percent' && tolerance >= ROUGH_SHARE) return true
    const step = Math.max(2 * tolerance, size * 1e-6, 1e-9)
    const steps = Array.from({ length: NEIGHBOURS }, (_, i) => (i + 1) * step)
    const isSmall = (kind === 'plain' || kind === 'product') && size < SMALL && tolerance >= 0.5 && count > MAX_FEW
    const chance = this.#chance ?? (isSmall ? SMALL_CHANCE : MAX_CHANCE[kind])
    return steps.flatMap((far) => [size - far, size + far]).filter(isNear).length <= chance
  }

  #resultsIn(unit: QuantityUnit | undefined): { results: Results; count: number } {
    const key = unit ? `${unit.kind} ${unit.factor}` : ''
    const known = this.#results.get(key)
    if (known) return known
    const cells = unit ? inUnit(this.#cells, unit) : this.#cells
    const results = this.#isStepped ? stepped(cells) : combined(cells)
    const found = { results, count: cells.filter(({ isFactor }) => !isFactor).length }
    this.#results.set(key, found)
    return found
  }
}

/** The quantities of a kind, and the numbers without a unit, by which they may be multiplied. */
function inUnit(cells: readonly PlacedNumber[], { kind, factor }: QuantityUnit): PlacedNumber[] {
  const hasAny = cells.some(({ unit }) => unit?.kind === kind)
  return cells.flatMap((cell): PlacedNumber[] => {
    if (!cell.unit) return [hasAny ? { ...cell, isFactor: true } : cell]
    return cell.unit.kind === kind
      ? [{ ...cell, value: (cell.value * cell.unit.factor) / factor, isFactor: false }]
      : []
  })
}

const noResults = () => Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Results

/** The results of two steps: of a pair, and of its result with a third number. */
function stepped(cells: readonly PlacedNumber[]): Results {
  const results = noResults()
  for (const [i, a] of cells.entries())
    for (const b of cells.slice(i + 1)) {
      const first = noResults()
      combineRow([a, b], first)
      const isFactor = a.isFactor === undefined ? {} : { isFactor: false }
      for (const value of new Set([...first.plain, ...first.product]))
        for (const c of cells)
          if (c !== a && c !== b) combineRow([{ ...a, value, isPercent: false, ...isFactor }, c], results)
    }
  for (const list of Object.values(results)) list.sort((one, other) => one - other)
  return results
}

function combined(cells: readonly PlacedNumber[]): Results {
  const results = noResults()
  for (const { value, isPercent, unit, isSum } of cells) {
    if (isSum) results.total.push(value)
    if (!unit && !isPercent && !Number.isInteger(value)) results.product.push(1 / value)
    if (!isPercent) continue
    results.percent.push(100 - value)
    results.points.push(Math.abs(50 - value), 100 - value)
  }
  const percents = cells.filter(({ isPercent }) => isPercent).slice(0, MAX_COLUMN)
  for (const one of percents) for (const other of percents) results.points.push(Math.abs(one.value - other.value))
  const rows = groupsOf(cells, ({ row }) => [row])
  const isFew = cells.length <= (rows.length > 1 ? MAX_FEW : MAX_ROW)
  if (isFew && cells.length > 1) rows.push([...cells])
  const columns = groupsOf(cells, ({ column, currency }) => (currency ? [column, currency] : [column]))
  for (const list of namedParts(cells)) combineList(list, results)
  for (const row of rows.slice(0, MAX_GROUPS)) combineRow(row, results)
  for (const column of columns.slice(0, MAX_GROUPS)) combineColumn(column, results)
  combineColumns(columns, results)
  for (const list of Object.values(results)) list.sort((one, other) => one - other)
  return results
}

/** The cells of a column whose rows share a word: the payments for food. */
function namedParts(cells: readonly PlacedNumber[]): PlacedNumber[][] {
  if (cells.length > MAX_NAMED) return []
  return groupsOf(cells, ({ column, words }) => [...words].map((word) => `${column} ${word}`))
}

function combinePair(a: PlacedNumber, b: PlacedNumber, { plain, product, percent }: Results): void {
  if (Boolean(a.isFactor) !== Boolean(b.isFactor)) {
    const [quantity, factor] = a.isFactor ? [b.value, a.value] : [a.value, b.value]
    product.push(quantity * factor, quantity / (factor || 1))
    return
  }
  if (a.isFactor) return
  const [low, high] = a.value < b.value ? [a.value, b.value] : [b.value, a.value]
  plain.push(high - low, high + low)
  if (a.isPercent && b.isPercent) {
    percent.push(high - low, high + low)
  }
  if (low <= 0) return
  percent.push((100 * low) / high, (100 * high) / low, (100 * (high - low)) / low, (100 * (high - low)) / high)
}

function combineRow(row: readonly PlacedNumber[], results: Results): void {
  combineList(row, results)
  if (row.length > MAX_ROW) return
  for (const [i, a] of row.entries())
    for (const other of row.slice(i + 1)) {
      const b = inUnitOf(other, a)
      combinePair(a, b, results)
      if (a.isFactor === undefined && a.value > 0 && b.value > 0) {
        results.product.push(a.value / b.value, b.value / a.value)
        if (a.isPercent === b.isPercent && a.unit?.kind === b.unit?.kind)
          results.ratio.push(Math.max(a.value, b.value) / Math.min(a.value, b.value))
      }
      if (!a.isPercent && !b.isPercent && a.isFactor === undefined && b.isFactor === undefined)
        results.product.push(a.value * b.value)
      for (const [one, share] of [
        [a, b],
        [b, a],
      ] as const)
        if (share.isPercent) {
          const part = share.value / 100
          results.product.push(one.value * part, one.value * (1 + part), one.value * (1 - part), one.value / (1 + part))
        }
    }
}

/** A quantity in the unit of another one of its kind: 57 km are 57,000 m beside 325 m. */
function inUnitOf(one: PlacedNumber, { unit, isFactor }: PlacedNumber): PlacedNumber {
  return isFactor === undefined && unit && one.unit?.kind === unit.kind
    ? { ...one, unit, value: (one.value * one.unit.factor) / unit.factor }
    : one
}

/** Also the sums and means of neighbours, their shares of the whole, and from one block of equal length to the next. */
function combineColumn(column: readonly PlacedNumber[], results: Results): void {
  combineList(column, results)
  if (column.length > MAX_COLUMN) return
  for (const [i, a] of column.entries())
    for (const b of column.slice(i + 1)) {
      combinePair(a, b, results)
      if (a.value > 0 && b.value > 0) results.ratio.push(Math.max(a.value, b.value) / Math.min(a.value, b.value))
    }
  const before = [0]
  for (const { value } of column) before.push(before.at(-1)! + value)
  const block = (from: number, to: number): PlacedNumber => ({
    ...column[0]!,
    isPercent: false,
    value: before[to]! - before[from]!,
  })
  const whole = block(0, column.length)
  for (let from = 0; from < column.length; from += 1) {
    if (column.length > 2) pushShare(column[from]!, whole, results.share)
    for (let to = from + 2; to <= column.length; to += 1) {
      const some = block(from, to)
      if (to - from > 2) results.plain.push(some.value)
      if (to - from > 2) results.mean.push(some.value / (to - from))
      if (to - from < column.length) pushShare(some, whole, results.percent)
      if (2 * to - from <= column.length) combinePair(some, block(to, 2 * to - from), results)
    }
  }
}

function pushShare({ value }: PlacedNumber, { value: whole }: PlacedNumber, shares: number[]): void {
  if (value > 0 && whole > 0) shares.push((100 * value) / whole)
}

/** The sum, the mean and the median. */
function combineList(some: readonly PlacedNumber[], { total, mean, wholeMean }: Results): void {
  const list = some.filter(({ isFactor }) => !isFactor)
  if (list.length < 2) return
  const sum = sumOf(list)
  const sorted = list.map(({ value }) => value).sort((one, other) => one - other)
  total.push(sum)
  if (list.length <= MAX_COLUMN && list.length > 3)
    for (const { value } of list) mean.push((sum - value) / (list.length - 1))
  wholeMean.push(sum / list.length, (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2)
}

/** Sums of products, weighted means, and what follows from two sums. */
function combineColumns(columns: readonly (readonly PlacedNumber[])[], results: Results): void {
  const { total, wholeMean } = results
  const some = columns.filter((column) => column.length > 2).slice(0, 8)
  for (const one of some)
    for (const other of some) {
      if (one === other || one.length !== other.length || one.some(({ row }, i) => row !== other[i]!.row)) continue
      const product = one.reduce((sum, { value }, i) => sum + value * other[i]!.value, 0)
      total.push(product)
      if (sumOf(one) > 0) wholeMean.push(product / sumOf(one))
      const [a, b] = [one, other].map((column) => ({ ...column[0]!, value: sumOf(column) })) as [
        PlacedNumber,
        PlacedNumber,
      ]
      if (some.length <= MAX_SUMMED && a.value < b.value) combinePair(a, b, results)
    }
}

function sumOf(cells: readonly PlacedNumber[]): number {
  return cells.reduce((sum, { value }) => sum + value, 0)
}
