/** The tables that SQL can query: in a conversation's files and messages, and in the results of the run. */
import type { MessageTable, OutputTable, Source } from '../agent/contracts/evidence.ts'
import type { KeptTable } from '../agent/output-tables.ts'
import type { KeptFile } from './store/types.ts'
import { rowsText } from '../agent/text-tables.ts'
import { isTable } from './section-units.ts'
import { CUT_NOTE } from './section-writer.ts'
import type { SourceTable } from './tables/types.ts'
import type { ParsedFile } from './types.ts'

/** A table, and where it is from. `refused`: why it cannot be queried. */
export interface RunTable extends SourceTable {
  from: string
  source?: Source
  refused?: string
  /** Only the asker may see it. */
  forAsker?: true
}

function sheetTables(file: NamedFile, { kind, sections, notes = [] }: ParsedFile): RunTable[] {
  const filled = sections.filter(({ lines }) => lines > 0)
  const stem = stemOf(file.name)
  return filled.map((section) => {
    const { name = '', text } = section
    const from = filled.length === 1 && name === '' ? file.name : `${file.name}, sheet "${name}"`
    const isCut = notes.includes(CUT_NOTE) && section === filled.at(-1)
    const isDamaged = notes.some((note) => note.includes(`"${name}" is damaged`))
    const tooLarge = isCut ? `it is too large to keep whole, so its last rows are missing. ${SMALLER}` : undefined
    const refused = tooLarge ?? (isDamaged ? 'its end is missing' : undefined)
    return {
      name: sqlName(filled.length === 1 ? stem : `${stem} ${name}`),
      text,
      from,
      refused,
      ...(kind !== 'csv' && { isExact: true as const }),
      ...(file.permalink !== undefined && { source: { title: from, url: file.permalink } }),
    }
  })
}

function documentTables(file: NamedFile, { tables = [] }: ParsedFile): RunTable[] {
  const stem = stemOf(file.name)
  return tables.map(({ name = '', text, refused, hasHeading, notes }, i) => {
    const from = `${file.name}, table ${name === '' ? i + 1 : `"${name}"`}`
    return {
      name: sqlName(tables.length === 1 ? stem : `${stem} ${name || `table ${i + 1}`}`),
      text,
      from,
      repeatsMerged: true as const,
      hasHeading,
      notes,
      ...(refused !== undefined && { refused: `${refused}. ${SMALLER}` }),
      ...(file.permalink !== undefined && { source: { title: from, url: file.permalink } }),
    }
  })
}

export function hasTables({ kind, tables = 0 }: KeptFile): boolean {
  return isTable(kind) || tables > 0
}

/** Returns the tables of a file: its sheets, or those in a document. */
export function fileTables(file: NamedFile, text: ParsedFile): RunTable[] {
  return isTable(text.kind) ? sheetTables(file, text) : documentTables(file, text)
}

type NamedFile = Pick<KeptFile, 'name' | 'permalink'>

/** Returns the tables that earlier steps of the run returned. Their names are known to the model. */
export function resultTables(tables: readonly KeptTable[]): RunTable[] {
  return tables.map(({ caption, ...table }) => ({ ...table, from: caption || table.name }))
}

/** Returns the tables of a page that was read: those in it, or the sheets of a workbook. */
export function pageTables(file: ParsedFile, source: Source): OutputTable[] {
  return fileTables({ name: source.title }, file).map(({ from, ...table }) => ({
    name: from,
    source,
    ...tableParts(table),
    refused: table.refused,
  }))
}

/** Returns what a query reads of a table, besides its name. */
export function tableParts({ text, hasHeading, isExact, repeatsMerged, notes }: Omit<SourceTable, 'name'>) {
  return { text, hasHeading, isExact, repeatsMerged, notes }
}

const messageTableName = ({ name }: Pick<MessageTable, 'name'>) => sqlName(name || 'table')

export function messageTables(tables: readonly MessageTable[]): RunTable[] {
  return tables.map((table) => ({
    name: messageTableName(table),
    text: rowsText([table.columns, ...table.rows]),
    hasHeading: true as const,
    from: table.name || 'a table in the thread',
  }))
}

/**
 * Returns the names in SQL that are known without reading a file: those of csv files, of documents with one table, and
 * of tables in messages. Undefined if there are no tables.
 */
export function knownTableNames(files: readonly KeptFile[], tables: readonly MessageTable[]): string[] | undefined {
  if (tables.length === 0 && !files.some(hasTables)) return undefined
  const single = files.filter(({ kind, tables }) => kind === 'csv' || tables === 1)
  const names = single.map(({ name }) => sqlName(stemOf(name)))
  return [...new Set([...names, ...tables.map(messageTableName)])].slice(-MAX_NAMES)
}

const MAX_NAMES = 10
const SMALLER = 'Upload it in smaller files'

const stemOf = (name: string) => name.replace(/\.\w{2,5}(?= \(\d+\)$|$)/, '')

/** Words that SQL would read as its own. */
const RESERVED =
  /^(?:order|group|table|select|from|where|index|values|join|union|all|as|by|case|with|limit|set|to|in|on|or|and|not|null|is|default|check|transaction|commit|references)$/

function sqlName(name: string): string {
  const words = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_')
  const plain = words.replace(/^_+|_+$/g, '').slice(0, 60) || 'table'
  return RESERVED.test(plain) || /^\d/.test(plain) ? `t_${plain}` : plain
}

/** Numbers tables of the same name. */
export function withUniqueTableNames(tables: readonly RunTable[]): RunTable[] {
  const taken = new Set<string>()
  return tables.map((table) => {
    let name = table.name
    for (let n = 2; taken.has(name); n += 1) name = `${table.name}_${n}`
    taken.add(name)
    return { ...table, name }
  })
}
