/** Reads a notebook (nbformat 3 and 4) as Markdown: its cells and what they printed. Pictures are only named. */
import { isRecord, parseJson } from '../../base/parse-json.ts'
import { htmlLines } from './html-lines.ts'

/** @returns undefined if the text is not a notebook */
export function notebookText(text: string, maxChars: number): string | undefined {
  const book = parseJson(text)
  if (!isRecord(book)) return undefined
  // Before nbformat 4, the cells stood in worksheets.
  const sheets = Array.isArray(book.worksheets) ? book.worksheets.filter(isRecord) : [book]
  if (!sheets.some(({ cells }) => Array.isArray(cells))) return undefined
  const cells = sheets.flatMap((sheet) => (Array.isArray(sheet.cells) ? sheet.cells.filter(isRecord) : []))
  return cells.map((cell) => withoutData(cellText(cell, maxChars))).join('\n\n')
}

/** Pictures and fonts that stand in the text itself are only named. */
function withoutData(text: string): string {
  return text.replace(/data:([\w.+-]{1,60}\/[\w.+-]{1,60})(?:;[\w.=-]{1,60}){0,4};base64,[\w+/=-]{40,}/g, '[$1]')
}

function cellText(cell: Record<string, unknown>, maxChars: number): string {
  const source = joined(cell.source ?? cell.input)
  if (cell.cell_type !== 'code') return source
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.filter(isRecord) : []
  const texts = outputs.map((one) => outputText(one, maxChars)).filter((text) => text !== '')
  return ['```', source, '```', ...texts.map((text) => `Output:\n${text}`)].join('\n')
}

/** The kinds of an output that are text, the best first. */
const TEXTS = ['text/markdown', 'text/plain', 'text/latex']

function outputText(output: Record<string, unknown>, maxChars: number): string {
  if (output.output_type === 'error') return `${joined(output.ename)}: ${joined(output.evalue)}`
  const data = isRecord(output.data) ? output.data : {}
  const picture = Object.keys(data).find((type) => type.startsWith('image/'))
  const plain = joined(output.text) || TEXTS.map((type) => joined(data[type])).find(Boolean) || ''
  const html = plain === '' ? joined(data['text/html']) : ''
  const text = html === '' ? plain : (htmlLines(html, 'html', maxChars).sections[0]?.text ?? '')
  const other = text === '' && !picture ? Object.keys(data)[0] : undefined
  return [text.trimEnd(), picture ? `[Picture: ${picture}]` : '', other ? `[Not shown: ${other.slice(0, 100)}]` : '']
    .filter((part) => part !== '')
    .join('\n')
}

/** A text may be stored as a list of its lines. */
function joined(text: unknown): string {
  if (Array.isArray(text)) return text.filter((line) => typeof line === 'string').join('')
  return typeof text === 'string' ? text : ''
}
