/** The tools that read, search and query a conversation's files. */
import { z } from 'zod'
import { defineTool } from '../src/agent/define-tool.ts'
import { CHART_KINDS } from '../src/agent/contracts/evidence.ts'
import type { RunFiles, Tool, ToolContext } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { queryText } from './query-text.ts'

/**
 * @param tables names of tables that SQL can query, as far as they are known; undefined if there are none yet
 * @param hasFiles whether there are files to read and search
 */
export function fileTools(tables: readonly string[] | undefined, hasFiles: boolean): Tool[] {
  return [...(hasFiles ? [readFile(), searchFile()] : []), queryTable(tables)]
}

const part = z.union([z.string(), z.number()]).optional()

function readFile(): Tool {
  return defineTool({
    name: 'read_file',
    quotes: true,
    title: 'Read a file',
    description:
      'Gives a part of a file of this conversation: pages, a sheet and its cells, or lines; else its beginning.',
    schema: z.object({
      file: z.string().optional().describe('name of the file; may be left out where there is one'),
      pages: part.describe('pages of a PDF, or slides: 3 or 3-5'),
      sheet: part.describe('name or number of a sheet'),
      range: z.string().optional().describe('cells of a sheet: A1:C20, B:D or 10:20'),
      lines: part.describe('lines of a text: 10-40'),
    }),
    run: ({ file, ...part }, context) => filesOf(context).read(file, part),
  })
}

function searchFile(): Tool {
  return defineTool({
    name: 'search_file',
    quotes: true,
    title: 'Search a file',
    description: 'Finds the passages with certain words in the files of this conversation, with their pages.',
    schema: z.object({
      query: queryText().describe('words that stand in the passage'),
      file: z.string().optional().describe('name of the file; all files if left out'),
    }),
    run: ({ query, file }, context) => filesOf(context).search(query, file),
  })
}

function filesOf({ files }: ToolContext): RunFiles {
  if (!files) throw new ToolError('There are no files in this conversation.')
  return files
}

/** A result of 50 rows is read whole. */
const OUTPUT_CHARS = 8000

/**
 * Creates the tool that runs SQL over the tables of a conversation and of the run. `tables`: names that are known
 * already; undefined if the conversation has none, and the tool waits for the first result with a table.
 */
function queryTable(tables: readonly string[] | undefined): Tool {
  const here = tables && tables.length > 0 ? ` Some of them: ${tables.join(', ')}.` : ''
  return defineTool({
    name: 'query_table',
    title: 'Query a table',
    description:
      'Runs one SQL SELECT (SQLite) over the tables in this conversation: csv, tsv and workbook files, tables inside ' +
      'documents, pages and messages, and earlier results. ' +
      'Use it for every sum, count, average, maximum, ranking or filter over rows: it reads all rows exactly. ' +
      'Without sql it lists the tables, their columns, types and first rows: do that first. ' +
      "Dates are text such as '2024-01-31'; _row is a row's number in the file; / keeps fractions; names with spaces stand in double quotes." +
      here,
    schema: z.object({
      sql: z.string().optional().describe('one SELECT; left out, the tables are described'),
      file: z
        .string()
        .optional()
        .describe('name of a csv file to send with all rows of the result, only if people ask for it'),
      chart: z
        .union([z.enum(CHART_KINDS), z.boolean()])
        .optional()
        .describe('draws the result: 2 to 20 labels in the first column, then a column of numbers for each series'),
    }),
    outputChars: OUTPUT_CHARS,
    ...(tables ? {} : { needsTables: true as const }),
    run: ({ sql, file, chart }, { files, sendsFiles, ...context }) => {
      if (!files) throw new ToolError('There are no tables in this conversation.')
      if (file !== undefined && !sendsFiles) throw new ToolError('No file can be sent here. Leave out "file".')
      return files.query({ sql: sql?.trim() || undefined, file, chart }, context)
    },
  })
}
