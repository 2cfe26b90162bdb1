import type { KnownBlock } from '@slack/web-api'
import { isBlank, plainLine, shorten, unescapeText } from './escape.ts'
import type { CellPart } from './markdown.ts'

type DataTable = Extract<KnownBlock, { type: 'data_table' }>
type Table = Extract<KnownBlock, { type: 'table' }>
type Cell = DataTable['rows'][number][number]
type RawText = Extract<Cell, { type: 'raw_text' }>

/** https://docs.slack.dev/reference/block-kit/blocks/data-table-block and `table-block`. The header counts as a row. */
const ROWS = 100
const COLUMNS = 20
/** Slack accepts 10,000 characters in all tables of a message together. */
export const TABLE_CHARS = 9500
const ROWS_A_PAGE = 20
const CAPTION_CHARS = 150

/** A table in both of Slack's forms (`dataTable` is better), and its characters that count against the limit. */
export interface TableForms {
  dataTable: DataTable
  table: Table
  chars: number
}

/**
 * Builds the blocks of a table; undefined if Slack would refuse it. The first row is the header, and all rows have the
 * same length. Everything but clickable links becomes plain text, which Slack does not format.
 */
export function tableForms(
  rows: CellPart[][][],
  align: ('left' | 'center' | 'right' | null)[],
): TableForms | undefined {
  const [head = [], ...body] = rows
  if (body.length === 0 || rows.length > ROWS || head.length === 0 || head.length > COLUMNS) return undefined
  const titles = head.map((parts) => rawText(wordsOf(parts)))
  const cells = body.map((row) => row.map(cellOf))
  const chars = [titles, ...cells].flat().reduce((sum, cell) => sum + charsOf(cell), 0)
  if (chars > TABLE_CHARS) return undefined
  const caption = shorten(titles.map(({ text }) => text).join(', '), CAPTION_CHARS)
  const column_settings = align.map((side) => ({ align: side ?? ('left' as const), is_wrapped: true }))
  return {
    dataTable: { type: 'data_table', caption, page_size: Math.min(body.length, ROWS_A_PAGE), rows: [titles, ...cells] },
    table: { type: 'table', column_settings, rows: [titles, ...cells.map((row) => row.map(withoutNumber))] },
    chars,
  }
}

const NUMBER = /^[+\-−]?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,12})?$/

function cellOf(parts: CellPart[]): Cell {
  if (parts.some(({ words, isLink }) => isLink && words.includes('<'))) return richText(parts)
  const cell = rawText(wordsOf(parts))
  if (!NUMBER.test(cell.text)) return cell
  return { type: 'raw_number', value: Number(cell.text.replaceAll(',', '').replace('−', '-')), text: cell.text }
}

/** `table` is the older block, which may not support numbers. */
function withoutNumber(cell: Cell): Cell {
  return cell.type === 'raw_number' ? { type: 'raw_text', text: cell.text } : cell
}

/** Slack refuses empty cells, so blank text becomes a dash. */
function rawText(words: string): RawText {
  const text = plainLine(words).trim()
  return { type: 'raw_text', text: isBlank(text) ? '–' : text }
}

function richText(parts: CellPart[]): Cell {
  const elements = parts.flatMap(({ words, isLink }) => (isLink ? linkElements(words) : textElements(words)))
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }
}

type CellElement = { type: 'text'; text: string } | { type: 'link'; url: string; text: string }

/** Splits a link's mrkdwn: `<address|label>`, possibly after a label that is not a link. */
function linkElements(mrkdwn: string): CellElement[] {
  return mrkdwn.split(/(<[^<>]+>)/).flatMap((part): CellElement[] => {
    if (!part.startsWith('<')) return textElements(unescapeText(part.replaceAll('`', '')))
    const [url = '', label = url] = part.slice(1, -1).split('|')
    return [{ type: 'link', url: unescapeText(url), text: plainLine(unescapeText(label)) }]
  })
}

function textElements(words: string): CellElement[] {
  const text = plainLine(words)
  return text === '' ? [] : [{ type: 'text', text }]
}

function wordsOf(parts: CellPart[]): string {
  return parts.map(({ words, isLink }) => (isLink ? unescapeText(words.replaceAll('`', '')) : words)).join('')
}

function charsOf(cell: Cell): number {
  if (cell.type !== 'rich_text') return cell.text.length
  return cell.elements.reduce((sum, { elements }) => sum + JSON.stringify(elements).length, 0)
}
