/** Finds the units of tables whose head names them: `| elapsed (ms) |`, `name,size_mb`, `name  size_bytes`. */
import type { QuantityUnit } from './durations.ts'
import { unitOfKey } from './number-words.ts'

const MAX_COLUMNS = 50
const CELL = /^\s*["']?-?\d[\d,]*(?:\.\d+)?["']?\s*$/
const SPACES = / {2,}/

/** The unit of each number of such columns, by its offset. Linear in the text's length. */
export function columnUnits(text: string): Map<number, QuantityUnit> {
  const found = new Map<number, QuantityUnit>()
  let units: (QuantityUnit | undefined)[] = []
  let separator: string | RegExp = ','
  let start = 0
  for (const line of text.split('\n')) {
    const at = start
    start += line.length + 1
    if (line.length > 2000) continue
    const cells = cellsOf(line, separator)
    const isRow = units.length > 1 && cells.length === units.length
    if (isRow && cells.some(({ cell }) => CELL.test(cell))) {
      for (const [i, { cell, from }] of cells.entries())
        if (units[i] && CELL.test(cell)) found.set(at + from + cell.search(/\d/), units[i])
    } else if (!/^[\s|:-]+$/.test(line) && !/(?:^|[|\t;,]| {2})\s*["']?\d/.test(line)) {
      separator = ['|', '\t', ';', ','].find((one) => line.includes(one)) ?? (SPACES.test(line.trim()) ? SPACES : ',')
      const heads = cellsOf(line, separator)
      const read = heads.length > MAX_COLUMNS ? [] : heads.map(({ cell }) => unitOfKey(`${cell.trim()}: `))
      units = read.some(Boolean) ? read : []
    }
  }
  return found
}

/** The cells of a line with their offsets, without the bars at its ends. */
function cellsOf(line: string, separator: string | RegExp): { cell: string; from: number }[] {
  const [edge = ''] = /^\s*\|?/.exec(line) ?? []
  const inner = line.slice(edge.length).replace(/\|?\s*$/, '')
  let from = edge.length
  return inner.split(typeof separator === 'string' ? separator : /( {2,})/).flatMap((cell, i) => {
    const at = from
    from += cell.length + (typeof separator === 'string' ? 1 : 0)
    return typeof separator !== 'string' && i % 2 === 1 ? [] : [{ cell, from: at }]
  })
}
