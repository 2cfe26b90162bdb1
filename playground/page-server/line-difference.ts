/** A line of two compared texts: removed, added, or in both. */
interface DifferentLine {
  sign: '-' | '+' | ' '
  text: string
}

/** The number of equal lines around a change. */
const AROUND = 2

/**
 * Returns the changes between two texts, line by line, by their longest common subsequence. Returns undefined if the
 * texts are equal.
 */
export function lineDifference(before: string, after: string): DifferentLine[] | undefined {
  if (before === after) return undefined
  const [a, b] = [before.split('\n'), after.split('\n')]
  /** `common[i][j]` is the length of the common subsequence of lines a from i and b from j. */
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!)
  const all: DifferentLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const isSame = i < a.length && j < b.length && a[i] === b[j]
    const isGone = !isSame && i < a.length && (j === b.length || common[i + 1]![j]! >= common[i]![j + 1]!)
    all.push({ sign: isSame ? ' ' : isGone ? '-' : '+', text: (isSame || isGone ? a[i] : b[j]) ?? '' })
    if (isSame || isGone) i += 1
    if (!isGone) j += 1
  }
  const isNear = (at: number) => all.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ sign }) => sign !== ' ')
  return all.filter((_, at) => isNear(at))
}
