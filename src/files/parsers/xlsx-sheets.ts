/** Parses a workbook into sheets with read-excel-file: values as last calculated, dates as ISO dates. */
import readWorkbook from 'read-excel-file/universal'
import { SectionWriter } from '../section-writer.ts'
import type { ParsedFile } from '../types.ts'
import { readMembers, storedZip } from '../zip-members.ts'
import { UnreadableFile, type ToParse } from './parser.ts'

/** Pictures, charts and macros are not unpacked. */
const isText = (name: string) => /\.(?:xml|rels)$/i.test(name) && !/\/(?:drawings|charts|pivot\w*|media)\//.test(name)

export async function parseXlsx({ bytes, limits }: ToParse): Promise<ParsedFile> {
  const zip = storedZip(readMembers(bytes, isText, limits.zip))
  const sheets = await withStoppedClock(() => readWorkbook(new Blob([Buffer.from(zip)])))
  const writer = new SectionWriter(limits.maxChars)
  for (const { sheet, data } of sheets) {
    if (writer.isFull) break
    writer.name(sheet)
    for (const row of data) writer.row(row.map(asText))
    writer.endSection()
  }
  if (writer.sections.every(({ lines }) => lines === 0))
    throw new UnreadableFile('All sheets of the workbook are empty.')
  return writer.file('xlsx')
}

/**
 * Runs the work while `Date.now` stands still. read-excel-file parses in chunks, each one call deeper, and halves them
 * when one takes more than 7 ms: a busy machine would overflow the stack. Without elapsed time the chunks only grow.
 */
async function withStoppedClock<T>(work: () => Promise<T>): Promise<T> {
  const { now } = Date
  Object.assign(Date, { now: () => 0 })
  try {
    return await work()
  } finally {
    Object.assign(Date, { now })
  }
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return asDate(value)
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value)
}

/** Excel's dates have no zone: midnight in UTC means a date without time. */
function asDate(date: Date): string {
  if (Number.isNaN(date.getTime())) return ''
  const [day = '', time = ''] = date.toISOString().split('T')
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 8)}`
}
