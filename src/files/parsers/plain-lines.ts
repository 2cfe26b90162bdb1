/** Parses texts that are readable as they are: plain text, Markdown, code and JSON. */
import { parseExact, stringifyExact } from '../../base/parse-json.ts'
import { tablesInText } from '../../agent/text-tables.ts'
import { SectionWriter } from '../section-writer.ts'
import { decodeText, linesIn } from '../text-decoding.ts'
import type { FileKind, ParsedFile } from '../types.ts'
import type { ToParse } from './parser.ts'

/** JSON without line breaks is indented, unless it is nested so deeply that most of the output would be indentation. */
const MAX_DEPTH = 40
const LONG_LINE = 500
/** Indenting a longer text needs more memory than a worker has. */
const MAX_LAID_OUT = 4_000_000

export function parsePlain({ kind, bytes, encoding, limits }: ToParse): ParsedFile {
  return plainFile(decodeText(bytes, encoding), kind, limits.maxChars)
}

export function plainFile(text: string, kind: FileKind, maxChars: number): ParsedFile {
  const writer = new SectionWriter(maxChars)
  let isFenced = false
  for (const line of linesIn(kind === 'json' ? laidOut(text) : text)) {
    if (writer.isFull) break
    if (kind === 'markdown' && /^ {0,3}(?:```|~~~)/.test(line)) isFenced = !isFenced
    const heading = isFenced ? undefined : headingIn(line.slice(0, 300), kind)
    if (heading) writer.heading(heading.text, heading.level)
    writer.write(line)
  }
  if (kind === 'markdown' || kind === 'json')
    for (const { name, text: rows, refused } of tablesInText(text))
      if (refused === undefined) writer.table(rowsIn(rows), { caption: name })
      else writer.table([], { caption: name, isCut: true })
  return writer.file(kind)
}

const rowsIn = (text: string) => text.split('\n').map((row) => row.split('\t'))

function headingIn(line: string, kind: ToParse['kind']): { text: string; level: number } | undefined {
  if (kind === 'markdown') {
    const [, marks, text] = /^ {0,3}(#{1,6})[ \t]+(.+)/.exec(line) ?? []
    return marks && text ? { text: text.replace(/[ \t]#+[ \t]*$/, ''), level: marks.length } : undefined
  }
  return kind === 'code' && DECLARATION.test(line) ? { text: line.replace(/\s*[{:(]?\s*$/, ''), level: 1 } : undefined
}

/**
 * Matches the line that begins a function, a class or the like, in languages with a keyword for it. Methods are not
 * matched.
 */
const DECLARATION =
  /^(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub|unsafe|open|data) ){0,5}(?:function|class|def|interface|type|struct|enum|impl|trait|fn|func|fun|module|namespace|package|object|record|CREATE TABLE) ?[*\w$(]/

function laidOut(text: string): string {
  if (text.length > MAX_LAID_OUT || text.length / text.split('\n').length < LONG_LINE) return text
  if (deepest(text) > MAX_DEPTH) return text
  const value = parseExact(text.replace(/^\ufeff/, ''))
  return value === undefined ? text : stringifyExact(value, 1)
}

/** Returns the nesting depth of the brackets, including those inside strings. */
function deepest(text: string): number {
  let [depth, max] = [0, 0]
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i]
    if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > max) max = depth
  }
  return max
}
