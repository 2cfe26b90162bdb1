import { z } from 'zod'
import { defineTool } from '../src/agent/define-tool.ts'
import type { Tool } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'

/** The maximum length of a file, in characters, and the maximum number of files per run. */
const MAX_CHARS = 100_000
const MAX_FILES = 5
const NAME_CHARS = 80
/** The memory key of the names of a run's files. */
const MEMORY = 'make_file'

/** Creates the tool that sends a text file with the answer. */
export function makeFile(): Tool {
  return defineTool({
    name: 'make_file',
    title: 'Make a file',
    description:
      'Sends a text file with the answer. Only for what is too long to read in a message, such as a long table as csv or long code.',
    schema: z.object({
      name: z.string().describe('name of the file with its ending, such as sales.csv'),
      text: z.string().describe('all of the file'),
    }),
    makesFiles: true,
    async run({ name, text }, { memory, sendsFiles }) {
      if (!sendsFiles) throw new ToolError('No file can be sent here. Put what matters into the answer.')
      if (text.trim() === '') throw new ToolError('The file would be empty.')
      if (text.length > MAX_CHARS) throw new ToolError(`The file is too long: at most ${MAX_CHARS} characters.`)
      const names = z.array(z.string()).catch([]).parse(memory[MEMORY])
      if (names.length >= MAX_FILES) throw new ToolError(`There are already ${MAX_FILES} files, which is the maximum.`)
      const given = freeName(plainName(name), names)
      memory[MEMORY] = [...names, given]
      return {
        text: `${given} is sent with the answer. Do not repeat its content in the answer.`,
        file: { name: given, text: harmlessCells(given, text) },
      }
    },
  })
}

/** Endings that open as text and that no double click executes. */
const ENDINGS = new Set(
  [
    ...['txt', 'md', 'log', 'csv', 'tsv', 'json', 'jsonl', 'xml', 'yaml', 'yml', 'toml', 'ini', 'sql', 'tex', 'diff'],
    ...['py', 'ts', 'tsx', 'css', 'c', 'h', 'cpp', 'cs', 'go', 'java', 'kt', 'rs', 'rb', 'php', 'r', 'swift', 'lua'],
  ].map((ending) => `.${ending}`),
)

/** Returns the name on one line, without a path. An ending that is not in `ENDINGS` gets `.txt` appended. */
function plainName(name: string): string {
  const plain = name
    .slice(0, 1000)
    .replace(/[^\p{L}\p{N}._ -]+/gu, '-')
    .replace(/^[. -]+/, '')
  const [, stem = '', ending = '.txt'] = /^(.*?)(\.[A-Za-z0-9]{1,10})?$/s.exec(plain) ?? []
  const safe = ENDINGS.has(ending.toLowerCase()) ? ending : `${ending}.txt`
  return `${[...stem].slice(0, NAME_CHARS).join('') || 'file'}${safe}`
}

/** After a crash a file is found in Slack by its name, so no two of a run have the same. */
function freeName(name: string, taken: readonly string[]): string {
  const dot = name.lastIndexOf('.')
  const names = [name, ...taken.map((_, i) => `${name.slice(0, dot)}-${i + 2}${name.slice(dot)}`)]
  return names.find((one) => !taken.includes(one)) ?? name
}

/** A quoted or unquoted cell. The separators are those of any country's spreadsheet. */
const CELL = /"[^"]*(?:""[^"]*)*"?[^,;\t\r\n]*|[^,;\t\r\n]+/g
const FORMULA = /^[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^"[\t\r]/
const NUMBER = /^ *"? *[+-]?\d[\d.,]{0,30}(?:e[+-]?\d{1,3})?%?[\s"]*$/i

/**
 * Defuses cells that a spreadsheet would execute: puts `'` before anything that begins like a formula. Plain numbers,
 * such as -12.5, stay. https://owasp.org/www-community/attacks/CSV_Injection
 */
function harmlessCells(name: string, text: string): string {
  const ending = name.slice(name.lastIndexOf('.')).toLowerCase()
  if (ending !== '.csv' && ending !== '.tsv') return text
  // Excel reads a first line such as `sep=|` as the separator setting.
  const harmless = text
    .replace(/^\s*"?sep=/i, "'$&")
    .replace(CELL, (cell) =>
      FORMULA.test(cell) && !NUMBER.test(cell) ? cell.replace(/^\s*"?/, (opening) => `${opening.trim()}'`) : cell,
    )
  return ending === '.csv' ? harmless.replace(/(^|[,;\r\n])(?=\t)/g, "$1'") : harmless
}
