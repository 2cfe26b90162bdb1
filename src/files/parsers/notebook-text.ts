/** Reads a notebook (nbformat 4) as Markdown: its cells and what they printed. Pictures are only named. */
import { parseJson } from '../../base/parse-json.ts'

/** @returns undefined if the text is no notebook */
export function notebookText(text: string): string | undefined {
  const book = parseJson(text)
  if (!isObject(book) || !Array.isArray(book.cells)) return undefined
  return book.cells.filter(isObject).map(cellText).join('\n\n')
}

function cellText(cell: Record<string, unknown>): string {
  const source = joined(cell.source)
  if (cell.cell_type !== 'code') return source
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.filter(isObject).map(outputText) : []
  return [
    '```',
    source,
    '```',
    ...outputs.filter((output) => output !== '').map((output) => `Output:\n${output}`),
  ].join('\n')
}

function outputText(output: Record<string, unknown>): string {
  if (output.output_type === 'error') return `${joined(output.ename)}: ${joined(output.evalue)}`
  const data = isObject(output.data) ? output.data : {}
  const picture = Object.keys(data).find((type) => type.startsWith('image/'))
  const text = joined(output.text) || joined(data['text/markdown']) || joined(data['text/plain'])
  return [text.trimEnd(), picture ? `[Picture: ${picture}]` : ''].filter((part) => part !== '').join('\n')
}

/** A text may be stored as a list of its lines. */
function joined(text: unknown): string {
  if (Array.isArray(text)) return text.filter((line) => typeof line === 'string').join('')
  return typeof text === 'string' ? text : ''
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
