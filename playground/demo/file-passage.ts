/** Reads the answer to a question from the finds of search_file. */

const NOISE =
  /^(?:who|what|which|when|where|how|why|many|much|long|is|are|was|were|do|does|did|may|can|could|should|must|have|has|there|get|say|says|tell|tells|stand|stands|find|search|i|we|you|it|our|my|your|the|a|an|this|that|these|of|in|on|at|for|to|about|with|by|and|or|file|document|pdf|csv|table|handbook|policy)$/i
const PLACE = /^(.{1,200}), ((?:pages?|slides?|sheet|lines?|rows?)\b.{0,80}):$/
const MAX_LINES = 4

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** Returns the words to search a file for: none if all of the question's words are common. */
export function searchWords(question: string): string {
  return wordsOf(question)
    .filter((word) => !NOISE.test(word))
    .join(' ')
}

/**
 * Returns the lines of the best passage with the words, preceded by the file and the place. A heading comes with the
 * line below it.
 */
export function passageIn(found: string, words: string): string | undefined {
  const [head = '', ...rest] = found.split('\n')
  const [, file, place] = PLACE.exec(head) ?? []
  if (file === undefined) return undefined
  const end = rest.findIndex((line) => PLACE.test(line))
  const lines = (end < 0 ? rest : rest.slice(0, end)).map((line) => line.trim()).filter(Boolean)
  // The row of a table's headings answers nothing.
  const isTable = /\.(?:csv|tsv|xlsx|ods)$/i.test(file) || /^(?:sheet|rows?)\b/.test(place ?? '')
  if (isTable && lines[0] !== undefined && !/\d/.test(lines[0])) lines.shift()
  const stems = wordsOf(words).map((word) => word.toLowerCase().replace(/s$/, ''))
  const score = (line = '') =>
    stems.filter((stem) => wordsOf(line.toLowerCase()).some((word) => word.startsWith(stem))).length
  const best = Math.max(0, ...lines.map(score))
  const hits = lines.flatMap((line, at) => {
    if (score(line) < best) return []
    const isHeading = line.length < 40 && wordsOf(line).length < 4 && !/\d/.test(line)
    return isHeading ? [at, at + 1] : [at]
  })
  const shown = [...new Set(hits)].flatMap((at) => lines[at] ?? []).slice(0, MAX_LINES)
  return best > 0 ? `**${file}**, ${place}:\n\n${shown.map((line) => `> ${line}`).join('\n')}` : undefined
}
