/** A table that a person pastes, as Slack's editor sends it: an attachment with one table block. */
import type { Json } from './types.ts'

/** https://docs.slack.dev/reference/block-kit/blocks/table-block */
const MAX_ROWS = 100
const MAX_COLUMNS = 20

/** Returns the attachments of pasted tables. Each is a list of rows of texts. @throws Error if one is no table */
export function tableAttachments(tables: unknown): Json[] {
  const all: unknown[] = Array.isArray(tables) ? tables : []
  return all.map((rows, i) => {
    const cells = { type: 'table', rows: rowsOf(rows).map((row, n) => row.map((text) => cell(text, n === 0))) }
    return { id: i + 1, fallback: '[no preview available]', blocks: [cells] }
  })
}

function rowsOf(rows: unknown): string[][] {
  const all: unknown[] = Array.isArray(rows) ? rows : []
  const isTable = all.length > 0 && all.length <= MAX_ROWS && all.every((row) => isRow(row))
  if (!isTable) throw new Error(`A table has at most ${MAX_ROWS} rows of ${MAX_COLUMNS} cells.`)
  return all as string[][]
}

function isRow(row: unknown): boolean {
  return (
    Array.isArray(row) && row.length > 0 && row.length <= MAX_COLUMNS && row.every((one) => typeof one === 'string')
  )
}

/** The editor keeps plain numbers as numbers, and makes the first row bold. */
function cell(text: string, isHead: boolean): Json {
  if (isHead && text !== '') {
    const elements = [{ type: 'text', text, style: { bold: true } }]
    return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }
  }
  const isNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(text) && String(Number(text)) === text
  return isNumber ? { type: 'raw_number', value: Number(text), text } : { type: 'raw_text', text }
}
