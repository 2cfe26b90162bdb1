import { z } from 'zod'
import { defineTool } from '../src/agent/define-tool.ts'
import type { Tool } from '../src/agent/contracts/tool.ts'
import { CHART_KINDS } from '../src/agent/contracts/evidence.ts'
import { ToolError } from '../src/base/errors.ts'

/** A result of 50 rows is read whole. */
const OUTPUT_CHARS = 8000

/**
 * Creates the tool that runs SQL over the tables of a conversation and of the run. `tables`: names that are known already;
 * undefined if the conversation has none, and the tool waits for the first result with a table.
 */
export function queryTable(tables: readonly string[] | undefined): Tool {
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
