/** The tables in what tools return. SQL can query them later in the run, so they are kept whole, or not at all. */
import { z } from 'zod'
import type { ToolMemory, ToolOutput } from './contracts/tool.ts'
import { outputTable, type OutputTable } from './contracts/evidence.ts'
import { tablesInText } from './text-tables.ts'

/** A kept table. Its name is that of its step: `result_3`. */
const keptSchema = z.array(outputTable.extend({ caption: z.string(), forAsker: z.literal(true).optional() }))

export type KeptTable = z.infer<typeof keptSchema>[number]

const MEMORY = 'tables'
/** The maximum of one output, and of a run. The oldest are dropped first. They are saved with the run. */
const MAX_OUTPUT = 8
const MAX_RUN = 30
const MAX_CHARS = 400_000
const MAX_TOLD = 5
const MAX_TOLD_COLUMNS = 12

/** Returns the tables of earlier steps. The memory may have been saved by another process, so it is checked. */
export function keptTables(memory: ToolMemory): KeptTable[] {
  return keptSchema.safeParse(memory[MEMORY]).data ?? []
}

export function hasKeptTables(memory: ToolMemory): boolean {
  return Array.isArray(memory[MEMORY]) && memory[MEMORY].length > 0
}

/** Keeps the tables of an output of step `n`. @returns a line that tells the model about them; '' if there are none */
export function keepTables(memory: ToolMemory, n: number, output: ToolOutput): string {
  // What only passes through may not be stored.
  if (output.passing || output.instructions) return ''
  const found = (output.tables ?? tablesInText(output.text)).slice(0, MAX_OUTPUT)
  if (found.length === 0) return ''
  const named = found.map((table, i) => kept(table, i === 0 ? `result_${n}` : `result_${n}_${i + 1}`, output))
  const older = keptTables(memory).filter(({ name }) => !named.some((table) => table.name === name))
  memory[MEMORY] = withinBounds([...older, ...named])
  return `\n(${named.slice(0, MAX_TOLD).map(told).join(' ')})`
}

function kept({ name, text, refused, ...table }: OutputTable, sqlName: string, { forAsker }: ToolOutput): KeptTable {
  const why = refused ?? (text.length > MAX_CHARS ? 'it is too large to keep' : undefined)
  const known = { ...table, name: sqlName, caption: name, ...(forAsker && { forAsker: true as const }) }
  return why === undefined ? { ...known, text } : { ...known, text: '', refused: why }
}

function withinBounds(tables: readonly KeptTable[]): KeptTable[] {
  let chars = 0
  return tables.slice(-MAX_RUN).reduceRight<KeptTable[]>((all, table) => {
    chars += table.text.length
    const isOver = chars > MAX_CHARS && table.text !== ''
    return [isOver ? { ...table, text: '', refused: 'newer results took its place' } : table, ...all]
  }, [])
}

function told({ name, caption, text, refused }: KeptTable): string {
  const what = caption === '' ? '' : ` (${caption.replace(/\s+/g, ' ').slice(0, 80)})`
  if (refused !== undefined) return `${name}${what} cannot be queried: ${refused}.`
  const [head = '', ...rows] = text.split('\n')
  const columns = head.split('\t').map((cell) => cell.slice(0, 30))
  const more = columns.length > MAX_TOLD_COLUMNS ? ', …' : ''
  const names = columns.slice(0, MAX_TOLD_COLUMNS).join(', ')
  return `query_table can query this as the table ${name}${what}: ${rows.length} rows of ${names}${more}.`
}
