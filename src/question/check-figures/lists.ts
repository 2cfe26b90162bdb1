/** Sums, means and medians of the numbers that stand together: in a line, in a column, under one name. */

/** A number, the line it is in, its place there, and the name before it. */
interface ListedNumber {
  value: number
  line: number
  key: string
}

const MAX_LISTED = 5000

/** The results, sorted. Lists of fewer than three numbers are pairs, which are tried elsewhere. */
export function listResults(numbers: readonly ListedNumber[]): { sums: number[]; means: number[] } {
  if (numbers.length > MAX_LISTED) return { sums: [], means: [] }
  const lists = new Map<string, number[]>()
  const add = (key: string, value: number) => void (lists.get(key) ?? lists.set(key, []).get(key)!).push(value)
  let [line, column] = [-1, 0]
  for (const number of numbers) {
    column = number.line === line ? column + 1 : 0
    line = number.line
    add(`line ${line}`, number.value)
    if (number.key !== '') add(`key ${number.key}`, number.value)
    add(`column ${column}`, number.value)
    add('all', number.value)
  }
  const sums = new Set<number>()
  const means = new Set<number>()
  for (const list of lists.values()) {
    if (list.length < 3) continue
    const sum = list.reduce((all, one) => all + one, 0)
    sums.add(sum)
    means.add(sum / list.length).add(median(list))
  }
  return { sums: [...sums], means: [...means] }
}

function median(list: readonly number[]): number {
  const sorted = list.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Words by which an answer says that a number is a mean or a median. */
export const AVERAGE =
  /\b(?:average|avg|mean|median|durchschnitt\w*|mittel\w*|moyenne|promedio|media|média|gemiddeld\w*|średni\w*)\b|平均|평균|मध्य|औसत|متوسط/iu
