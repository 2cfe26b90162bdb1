import type { FileKind, ParsedFile, ParseLimits } from '../types.ts'

/** The first line that a reader gets, as JSON. The file's bytes follow. */
export interface ReaderHeader {
  name: string
  limits: ParseLimits
  /** Pages of a pdf that took too long in earlier attempts. */
  skippedPages: number[]
  /** Memory limit in MiB that the reader enforces itself, if the kernel does not. */
  watchMb?: number
}

/** A parser's input. The parser owns the bytes. */
export interface ToParse {
  kind: FileKind
  name: string
  bytes: Uint8Array
  /** For texts: the result of `encodingOf`. */
  encoding?: string | undefined
  limits: ParseLimits
  /** Pages of a pdf to skip because they took too long. */
  skippedPages?: number[]
  /** Called before each page of a pdf: a page that takes too long ends the process. */
  beginPage?(): void
}

/** @throws UnreadableFile if a sentence can say why; any other error means a broken file */
export type Parser = (toParse: ToParse) => ParsedFile | Promise<ParsedFile>
