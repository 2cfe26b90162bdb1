/** Recognises a table in pasted text: a selection of a spreadsheet, or lines of cells with tabs between them. */

const MAX_ROWS = 100
const MAX_COLUMNS = 20

/**
 * Returns the rows, or undefined if the text is no table: at least two lines with the same number of tabs, not all of
 * them indented. A cell with line breaks or tabs is in quotation marks.
 */
export function tableIn(text) {
  if (!text.includes('\t') || text.length > 100_000) return undefined
  const rows = rowsOf(text.replace(/\r\n?/g, '\n').replace(/\n+$/, ''))
  const [head = []] = rows
  const isEven = rows.every((row) => row.length === head.length)
  const isIndented = rows.every(([first]) => first === '')
  if (rows.length < 2 || rows.length > MAX_ROWS || head.length < 2 || head.length > MAX_COLUMNS) return undefined
  return isEven && !isIndented ? rows : undefined
}

function rowsOf(text) {
  const rows = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"(?=[\t\n]|$)|([^\t\n]*))([\t\n]|$)/g)) {
    rows.at(-1).push((quoted?.replaceAll('""', '"') ?? plain).trim())
    if (end === '') break
    if (end === '\n') rows.push([])
  }
  return rows
}
