/**
 * The process that parses one file. `parser-process.ts` starts it and kills it when it exceeds its time or memory.
 * Stdin carries a line of JSON and then the file. The outcome is written to descriptor 3, and a byte per started page
 * to descriptor 4. A parser that needs a package is loaded only for its own kind of file.
 */
import { writeFileSync, writeSync } from 'node:fs'
import { serialize } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { fileTypeOf, isMail } from './file-type.ts'
import { TOO_LARGE, UnreadableFile, type Parser, type ReaderHeader, type ToParse } from './parsers/parser.ts'
import { parsePlain } from './parsers/plain-lines.ts'
import { encodingNote } from './text-decoding.ts'
import type { QueryOutcome, SourceTable, TableQuery } from './tables/types.ts'
import { MEBIBYTE, type FileKind, type ParseOutcome } from './types.ts'

const RESULT_FD = 3
const PAGES_FD = 4
const LINE_FEED = 10
/** How often a reader that watches its own memory checks it. Milliseconds. */
const CHECK_MS = 10

async function parserOf({ kind, name, page, bytes }: ToParse): Promise<Parser> {
  if (page && kind === 'html') return (await import('./parsers/web-page.ts')).parseWebPage
  if (/\.ipynb$/i.test(name) || (kind === 'text' && isMail({ name, bytes })))
    return (await import('./parsers/named-texts.ts')).parseNamedText
  return PARSERS[kind]?.() ?? parsePlain
}

const odf = async () => (await import('./parsers/odf-text.ts')).parseOdf

/** All other kinds are plain texts. */
const PARSERS: Partial<Record<FileKind, () => Promise<Parser>>> = {
  pdf: async () => (await import('./parsers/pdf-pages.ts')).parsePdf,
  docx: async () => (await import('./parsers/docx-lines.ts')).parseDocx,
  pptx: async () => (await import('./parsers/pptx-slides.ts')).parsePptx,
  xlsx: async () => (await import('./parsers/xlsx-sheets.ts')).parseXlsx,
  ...{ odt: odf, odp: odf, ods: odf },
  csv: async () => (await import('./parsers/csv-rows.ts')).parseCsv,
  html: async () => (await import('./parsers/html-lines.ts')).parseHtml,
  canvas: async () => (await import('./parsers/canvas-tags.ts')).parseCanvas,
  transcript: async () => (await import('./parsers/transcript-lines.ts')).parseTranscript,
}

async function outcomeOf({ name, limits, skippedPages, page }: ReaderHeader, bytes: Uint8Array): Promise<ParseOutcome> {
  const type = fileTypeOf({ name, bytes })
  if ('fault' in type) return { fault: type.fault }
  if ('picture' in type) return { fault: 'This is a picture, and I read no text from pictures.' }
  const toParse = { name, bytes, limits, skippedPages, page, beginPage: () => void writeSync(PAGES_FD, '.'), ...type }
  // A mail names the encodings of its parts. The bytes of a pdf are gone once it is read.
  const note = isMail({ name, bytes }) ? undefined : encodingNote('Its text', type)
  const outcome = await parsedBy(page?.charset && type.encoding ? { ...toParse, encoding: page.charset } : toParse)
  if (!outcome.file || note === undefined) return outcome
  return { file: { ...outcome.file, notes: [...(outcome.file.notes ?? []), note] } }
}

async function parsedBy(toParse: ToParse): Promise<ParseOutcome> {
  try {
    const parse = await parserOf(toParse)
    const file = await parse(toParse)
    const isEmpty = file.sections.every(({ lines }) => lines === 0)
    return isEmpty ? { fault: 'The file contains no text.' } : { file }
  } catch (error) {
    if (error instanceof UnreadableFile) return { fault: error.message }
    if (isOutOfMemory(error)) return { fault: TOO_LARGE, killed: true }
    return { fault: `The file is damaged: it cannot be read as ${toParse.kind}.` }
  }
}

async function answerTo(query: Omit<TableQuery, 'tables'>, bytes: Uint8Array): Promise<QueryOutcome> {
  const { queryTables } = await import('./tables/query-tables.ts')
  const tables = JSON.parse(Buffer.from(bytes).toString()) as SourceTable[]
  return queryTables({ ...query, tables }, Date.now)
}

/** V8 throws for a buffer or a serialized result that does not fit, where it ends the process for its own heap. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /allocation failed|out of memory/i.test(error.message)
}

async function input(): Promise<{ header: ReaderHeader; bytes: Uint8Array }> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  const all = Buffer.concat(chunks)
  const end = all.indexOf(LINE_FEED)
  const header = JSON.parse(all.toString('utf8', 0, end)) as ReaderHeader
  return { header, bytes: new Uint8Array(all.subarray(end + 1)) }
}

/**
 * Ends the process when it uses more memory. It runs in its own thread, because a parser may leave no time for timers.
 */
function watchMemory(mebibytes: number): void {
  const check = `if (process.memoryUsage.rss() > ${mebibytes * MEBIBYTE}) process.kill(process.pid, 'SIGKILL')`
  new Worker(`setInterval(() => { ${check} }, ${CHECK_MS})`, { eval: true, execArgv: [] }).unref()
}

function end(outcome: ParseOutcome | QueryOutcome): never {
  writeFileSync(RESULT_FD, serialize(outcome))
  process.exit(0)
}

// Errors that a parser throws from a timer or a promise end no process: its outcome is written, or its time runs out.
process.on('unhandledRejection', () => {})
process.on('uncaughtException', (error) =>
  end({ fault: isOutOfMemory(error) ? TOO_LARGE : 'The file could not be read. It may be damaged.', killed: true }),
)
// Ctrl+C in a terminal reaches every process there. The bot lets its questions finish and ends this process itself.
process.on('SIGINT', () => {})
const { header, bytes } = await input()
if (header.watchMb !== undefined) watchMemory(header.watchMb)
end(header.query ? await answerTo(header.query, bytes) : await outcomeOf(header, bytes))
