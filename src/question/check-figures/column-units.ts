/** Finds the quantities of tables whose head names the unit: `| elapsed (ms) |`, `name,size_mb`. */
import type { QuantityUnit } from './durations.ts'
import { unitOfKey } from './number-words.ts'

const MAX_COLUMNS = 50
const CELL = /^\s*["']?(-?\d[\d,]*(?:\.\d+)?)["']?\s*$/

/** Each value with its column's unit. Linear in the text's length. */
export function columnQuantities(text: string): [value: number, unit: QuantityUnit][] {
  const found: [number, QuantityUnit][] = []
  let units: (QuantityUnit | undefined)[] = []
  let separator = ','
  for (const line of text.split('\n')) {
    if (line.length > 2000) continue
    const cells = cellsOf(line, separator)
    const isRow = units.length > 1 && cells.length === units.length
    if (isRow && cells.some((cell) => CELL.test(cell))) {
      for (const [i, cell] of cells.entries()) {
        const number = units[i] && CELL.exec(cell)?.[1]
        if (number) found.push([Number(number.replaceAll(',', '')), units[i]!])
      }
    } else if (!/^[\s|:-]+$/.test(line) && !/(?:^|[|\t;,])\s*["']?\d/.test(line)) {
      separator = ['|', '\t', ';', ','].find((one) => line.includes(one)) ?? ','
      const heads = cellsOf(line, separator)
      const read = heads.length > MAX_COLUMNS ? [] : heads.map((head) => unitOfKey(`${head.trim()}: `))
      units = read.some(Boolean) ? read : []
    }
  }
  return found
}

function cellsOf(line: string, separator: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(separator)
}
