/** Tables, and the charts drawn from them. */
import { isObject } from '../args.ts'
import type { Complain } from './block-elements.ts'
import { checkRichText } from './rich-text.ts'
import type { Json } from '../types.ts'

const MAX_COLUMNS = 20
/** The maximum number of rows, without the header of a data_table. */
const MAX_ROWS = 100
const MAX_SERIES = 12
const MAX_CATEGORIES = 20
const MAX_LABEL = 20
const MAX_AXIS = 50

/** https://docs.slack.dev/reference/block-kit/blocks/table-block */
export function checkTable(block: Json, complain: Complain) {
  const rows = block['rows']
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > MAX_ROWS) return complain(`1 to ${MAX_ROWS} rows`)
  for (const row of rows) checkRow(row, complain)
}

/** https://docs.slack.dev/reference/block-kit/blocks/data-table-block */
export function checkDataTable(block: Json, complain: Complain) {
  const { rows, caption, page_size: size, row_header_column_index: header } = block
  if (typeof caption !== 'string' || caption === '') complain('caption is missing')
  if (!Array.isArray(rows) || rows.length < 2 || rows.length > MAX_ROWS + 1)
    return complain(`2 to ${MAX_ROWS + 1} rows`)
  for (const row of rows) checkRow(row, complain)
  const [head = []]: Json[][] = rows
  if (head.some((cell) => cell['type'] === 'rich_text')) complain('rich_text in a header')
  if (rows.some((row: unknown[]) => row.length !== head.length)) complain('rows of different lengths')
  if (size !== undefined && !isWithin(size, 1, 100)) complain('page_size of 1 to 100')
  if (header !== undefined && !isWithin(header, 0, head.length - 1)) complain('row_header_column_index is no column')
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

function checkRow(row: unknown, complain: Complain) {
  if (!Array.isArray(row) || row.length === 0 || row.length > MAX_COLUMNS)
    return complain(`1 to ${MAX_COLUMNS} cells a row`)
  for (const cell of row) checkCell(cell, complain)
}

/** Checks a cell. An empty cell gets the whole message refused. */
function checkCell(cell: unknown, complain: Complain) {
  if (!isObject(cell)) return complain('a cell is no object')
  const { type, text, value } = cell
  if (type === 'rich_text') checkRichText(cell, complain)
  else if (type !== 'raw_text' && type !== 'raw_number') complain(`unsupported cell: ${String(type)}`)
  else if (typeof text !== 'string') complain('a cell without text')
  if (type === 'raw_number' && typeof value !== 'number') complain('a raw_number without its value')
  if (charactersOf(cell) === 0) complain('an empty cell')
}

/** Counts the characters of a table. */
export function tableCharacters({ rows }: Json): number {
  return Array.isArray(rows) ? charactersOf(rows) : 0
}

function charactersOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one: unknown) => sum + charactersOf(one), 0)
  if (!isObject(value)) return 0
  const own = ['text', 'url', 'user_id', 'name'].map((key) => value[key]).find((one) => typeof one === 'string')
  return (typeof own === 'string' ? own.trim().length : 0) + charactersOf(value['elements'])
}

/** https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block */
export function checkChart(block: Json, complain: Complain) {
  const { title, chart } = block
  if (typeof title !== 'string' || title === '' || title.length > 50) complain('a title of 1 to 50 characters')
  if (!isObject(chart)) return complain('chart is missing')
  if (chart['type'] === 'pie') return checkPoints(chart['segments'], MAX_SERIES, complain)
  if (!['bar', 'area', 'line'].includes(String(chart['type']))) complain(`chart of type ${String(chart['type'])}`)
  checkSeries(chart['series'], checkAxis(chart['axis_config'], complain), complain)
}

/** Checks the x axis. Returns its categories. */
function checkAxis(axis: unknown, complain: Complain): string[] {
  const { categories, x_label, y_label } = isObject(axis) ? axis : {}
  if (!Array.isArray(categories) || categories.length === 0 || categories.length > MAX_CATEGORIES)
    return complain(`1 to ${MAX_CATEGORIES} categories`)
  for (const label of categories)
    if (typeof label !== 'string' || label === '' || label.length > MAX_LABEL)
      complain(`a category of 1 to ${MAX_LABEL} characters`)
  for (const label of [x_label, y_label])
    if (String(label ?? '').length > MAX_AXIS) complain(`an axis label over ${MAX_AXIS} characters`)
  return categories
}

/** Checks the series: each has one point for each category, and its own name. */
function checkSeries(series: unknown, categories: string[], complain: Complain) {
  if (!Array.isArray(series) || series.length === 0 || series.length > MAX_SERIES)
    return complain(`1 to ${MAX_SERIES} series`)
  const names = series.map((one: unknown) => (isObject(one) ? one['name'] : undefined))
  if (names.some((name) => typeof name !== 'string' || name === '')) complain('a series without a name')
  if (new Set(names).size < names.length) complain('two series of one name')
  for (const { data } of series.filter(isObject)) {
    checkPoints(data, MAX_CATEGORIES, complain)
    const labels = Array.isArray(data) ? data.map((point: Json) => point['label']) : []
    if (labels.join('\n') !== categories.join('\n')) complain('labels that are not the categories')
  }
}

function checkPoints(points: unknown, max: number, complain: Complain) {
  if (!Array.isArray(points) || points.length === 0 || points.length > max) return complain(`1 to ${max} points`)
  for (const point of points) {
    const { label, value } = isObject(point) ? point : {}
    if (typeof label !== 'string' || label === '' || label.length > MAX_LABEL)
      complain(`a label of 1 to ${MAX_LABEL} characters`)
    if (typeof value !== 'number' || !Number.isFinite(value)) complain('a point without a number')
  }
}
