/** Finds the name that a mistyped one most likely stands for. */

/** Short names allow fewer edits, because most of them are near to some other word. */
const maxEdits = (length: number) => (length < 4 ? 0 : length < 8 ? 1 : 2)

/**
 * Returns the known name that resembles `name`: the same but for case and separators, a typing error or two apart, or
 * with one word more or fewer (`OPENAI_KEY` for `OPENAI_API_KEY`). Undefined if none does.
 */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((one) => ({ one, edits: editsBetween(plain(name), plain(one)) }))
    .filter(({ one, edits }) => edits <= maxEdits(plain(one).length) || isOneWordApart(name, one))
  return near.sort((a, b) => a.edits - b.edits)[0]?.one
}

const plain = (name: string) => name.replace(/[\W_]/g, '').toLowerCase()
const wordsOf = (name: string) => name.toLowerCase().split('_')

/** Single words do not count: `REDIS_PORT` has nothing to do with `PORT`. */
function isOneWordApart(name: string, other: string): boolean {
  const [fewer = [], more = []] = [wordsOf(name), wordsOf(other)].sort((a, b) => a.length - b.length)
  return fewer.length > 1 && more.length === fewer.length + 1 && fewer.every((word) => more.includes(word))
}

/** The Levenshtein distance of two texts. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (const [i, char] of [...one].entries()) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++)
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (char === other[j] ? 0 : 1)))
    row = next
  }
  return row.at(-1) ?? 0
}
