/** The tools that read and search a conversation's files. A run has them if there are files. */
import { z } from 'zod'
import { zodInput } from '../src/agent/tool-input.ts'
import type { RunFiles, Tool, ToolContext } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { queryText } from './query.ts'

export function fileTools(): Tool[] {
  return [readFile(), searchFile()]
}

const part = z.union([z.string(), z.number()]).optional()

const readInput = z.object({
  file: z.string().optional().describe('name of the file; may be left out where there is one'),
  pages: part.describe('pages of a PDF, or slides: 3 or 3-5'),
  sheet: part.describe('name or number of a sheet'),
  range: z.string().optional().describe('cells of a sheet: A1:C20, B:D or 10:20'),
  lines: part.describe('lines of a text: 10-40'),
})

function readFile(): Tool<z.infer<typeof readInput>> {
  return {
    name: 'read_file',
    title: 'Read a file',
    description:
      'Gives a part of a file of this conversation: pages, a sheet and its cells, or lines; else its beginning.',
    ...zodInput(readInput),
    effects: 'read',
    run: ({ file, pages, sheet, range, lines }, context) => filesOf(context).read(file, { pages, sheet, range, lines }),
  }
}

const searchInput = z.object({
  query: queryText().describe('words that stand in the passage'),
  file: z.string().optional().describe('name of the file; all files if left out'),
})

function searchFile(): Tool<z.infer<typeof searchInput>> {
  return {
    name: 'search_file',
    title: 'Search a file',
    description: 'Finds the passages with certain words in the files of this conversation, with their pages.',
    ...zodInput(searchInput),
    effects: 'read',
    run: ({ query, file }, context) => filesOf(context).search(query, file),
  }
}

function filesOf({ files }: ToolContext): RunFiles {
  if (!files) throw new ToolError('There are no files in this conversation.')
  return files
}
