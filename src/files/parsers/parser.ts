import type { TableQuery } from '../tables/types.ts'
import type { FileKind, ParsedFile, ParseLimits, WebPage } from '../types.ts'

/** The first line that a reader gets, as JSON. The file's bytes follow. */
export interface ReaderHeader {
  name: string
  limits: ParseLimits
  /** Pages of a pdf that are left out because they took too long in earlier attempts. */
  skippedPages?: number[] | undefined
  /** The origin of a web page. Absent for files. */
  page?: WebPage | undefined
  /** How many MiB the reader may use, if nobody else bounds its memory. */
  watchMb?: number | undefined
  /** Instead of parsing a file, the reader answers this query, whose tables' texts are the bytes as JSON. */
  query?: Omit<TableQuery, 'tables'> | undefined
}

/** The input of a parser. The bytes are its own. */
export interface ToParse extends Pick<ReaderHeader, 'name' | 'limits' | 'skippedPages' | 'page'> {
  kind: FileKind
  bytes: Uint8Array
  /** The encoding of a text, as `detectEncoding` found it. */
  encoding?: string | undefined
  /** Called before each page of a pdf: a page that takes too long ends the process. */
  beginPage?(): void
}

/** @throws UnreadableFile if a sentence can say why; any other error means a broken file */
export type Parser = (toParse: ToParse) => ParsedFile | Promise<ParsedFile>

/** A file that cannot be turned into text. People and the model read the message. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
}

export const LESS = 'Upload only the part that matters.'
export const PASSWORD = 'The file is password-protected. Upload a copy without a password.'
/** The sentence about a file whose reader ran out of memory. */
export const TOO_LARGE = `The file needs too much memory to read. ${LESS}`
