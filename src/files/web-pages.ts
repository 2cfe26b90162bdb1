/** Pages and documents of the web as text, read in the same bounded processes as files. */
import { ToolError } from '../base/errors.ts'
import type { FilePart, ToolOutput } from '../agent/contracts/tool.ts'
import type { Source } from '../agent/contracts/evidence.ts'
import type { FetchedPage, PageReader } from '../../tools/tool-settings.ts'
import { openingOf } from './outline.ts'
import { fileParsers } from './parse-file.ts'
import { readPart } from './read-part.ts'
import { pageTables } from './run-tables.ts'
import type { ParsedFile } from './types.ts'

/** Space for the address and the notes. */
const AROUND_CHARS = 400
const MAX_TITLE = 150

export function pageReader(parsers = fileParsers): PageReader {
  return {
    async read(page, { whole = false, ...part }, { maxChars, context }) {
      const parser = parsers.forQuestion(context.asker ?? 'page', () => context.now().getTime())
      const source = { address: page.address, charset: charsetOf(page.type), isWhole: whole }
      const outcome = await parser.parse({ name: nameOf(page), bytes: page.bytes, page: source }, context.signal)
      if (!outcome.file) throw new ToolError(`${new URL(page.address).hostname}: ${faultOf(outcome)}`)
      const output = shown(outcome.file, page, part, Math.max(200, maxChars - AROUND_CHARS))
      return { ...output, tables: pageTables(outcome.file, sourceOf(outcome.file, page)) }
    },
  }
}

/** The reader speaks of files, which people upload. */
function faultOf({ fault, killed }: { fault: string; killed?: true }): string {
  if (killed) return 'This page takes too much time or memory to read. Another try will not help.'
  return fault.replace(/^(?:The|This) file\b/, 'This page')
}

function shown(file: ParsedFile, page: FetchedPage, part: FilePart, maxChars: number): ToolOutput {
  const head = [`Page: ${page.address}`, ...(file.published ? [`Published: ${file.published}`] : [])].join('\n')
  if (Object.values(part).every((one) => one === undefined))
    return { text: `${head}\n${openingOf(file, maxChars).text}`, sources: [sourceOf(file, page)] }
  const read = readPart(file, part, maxChars)
  if (read.text === undefined) return { text: `${head}\n${read.missing}` }
  const more = read.more ? `\n(${read.more})` : ''
  return { text: `${head}\n${read.place}:\n${read.text}${more}`, sources: [sourceOf(file, page, read)] }
}

/** The source of a part of a long page is named with the heading above it. */
function sourceOf(file: ParsedFile, { address }: FetchedPage, read?: { place: string; sections: number[] }): Source {
  const title = file.title?.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE) || new URL(address).hostname
  const heading = read && headingAbove(file, read)
  return { title: heading && heading !== title ? `${title}: ${heading}` : title, url: address }
}

function headingAbove({ headings = [] }: ParsedFile, { place, sections }: { place: string; sections: number[] }) {
  const line = Number(/lines? (\d+)/.exec(place)?.[1] ?? 1)
  const section = sections[0] ?? 1
  return headings.findLast((one) => one.section < section || (one.section === section && one.line <= line))?.text
}

function charsetOf(type: string): string | undefined {
  const charset = /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(type)?.[1]
  try {
    return charset === undefined ? undefined : new TextDecoder(charset).encoding
  } catch {
    return undefined
  }
}

/** The ending that says how a text is read. Documents are known by their bytes. */
const ENDINGS: Record<string, string> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'text/markdown': 'md',
  'application/json': 'json',
}

function nameOf({ address, type }: FetchedPage): string {
  const ending = ENDINGS[type.split(';')[0]?.trim().toLowerCase() ?? '']
  if (ending) return `page.${ending}`
  const last = new URL(address).pathname.split('/').at(-1) ?? ''
  return last === '' ? 'page' : last.slice(-100)
}
