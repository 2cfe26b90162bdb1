/**
 * The worker in which files are parsed, one file a worker: `parse-file.ts` starts it, and ends it when its time or memory is
 * up. A parser is loaded only for its own kind of file.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { Parser, ToParse } from './parsers/parser.ts'
import type { FileKind, ParseOutcome } from './types.ts'
import { UnreadableFile } from './unreadable-file.ts'

async function parserOf(kind: FileKind): Promise<Parser> {
  switch (kind) {
    case 'pdf':
      return (await import('./parsers/pdf-pages.ts')).parsePdf
    case 'docx':
      return (await import('./parsers/docx-lines.ts')).parseDocx
    case 'pptx':
      return (await import('./parsers/pptx-slides.ts')).parsePptx
    case 'xlsx':
      return (await import('./parsers/xlsx-sheets.ts')).parseXlsx
    case 'odt':
    case 'odp':
    case 'ods':
      return (await import('./parsers/odf-text.ts')).parseOdf
    case 'csv':
      return (await import('./parsers/csv-rows.ts')).parseCsv
    case 'html':
      return (await import('./parsers/html-lines.ts')).parseHtml
    case 'transcript':
      return (await import('./parsers/transcript-lines.ts')).parseTranscript
    default:
      return (await import('./parsers/plain-lines.ts')).parsePlain
  }
}

async function outcomeOf(toParse: ToParse): Promise<ParseOutcome> {
  try {
    const parse = await parserOf(toParse.kind)
    const file = await parse(toParse)
    const isEmpty = file.sections.every(({ lines }) => lines === 0)
    return isEmpty ? { fault: 'The file holds no text.' } : { file }
  } catch (error) {
    if (error instanceof UnreadableFile) return { fault: error.message }
    return { fault: `The file is broken: it cannot be read as ${toParse.kind}.` }
  }
}

// What a parser throws from a timer or a promise of its own ends no thread: its outcome is told, or its time runs out.
process.on('unhandledRejection', () => {})
process.on('uncaughtException', () =>
  parentPort?.postMessage({ fault: 'The file is broken: its reader failed at it.' }),
)
parentPort?.postMessage(await outcomeOf(workerData as ToParse))
