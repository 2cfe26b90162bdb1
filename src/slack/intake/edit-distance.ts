/**
 * The optimal string alignment distance: how many letters must be added, left out, replaced or swapped with their
 * neighbour to make one word of the other. For short words only: it takes time in the product of their lengths.
 */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const ways = [last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost, ...(swapped ? [before[j - 2]! + 1] : [])]
      row.push(Math.min(...ways))
    }
    ;[before, last] = [last, row]
  }
  return last[b.length]!
}
