/** The tools that read, search and query a conversation's files. */
import { z } from 'zod'
import { defineTool } from '../src/agent/define-tool.ts'
import type { RunFiles, Tool, ToolContext } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { queryText } from './query-text.ts'
import { queryTable } from './query-table.ts'

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
