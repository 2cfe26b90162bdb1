/** A parsed file: text with locations in it. Plain JSON, so that it can be stored compressed. */

/** The kinds of files that become text, as a model reads them. */
export const FILE_KINDS = {
  pdf: 'A PDF',
  docx: 'A Word document',
  pptx: 'A presentation',
  xlsx: 'A workbook',
  odt: 'A text document',
  odp: 'A presentation',
  ods: 'A workbook',
  csv: 'A table',
  json: 'A JSON file',
  markdown: 'A Markdown text',
  html: 'An HTML page',
  canvas: 'A canvas',
  transcript: 'A transcript',
  code: 'A source file',
  text: 'A text',
}
export type FileKind = keyof typeof FILE_KINDS

/** The kinds of pictures that models can see. */
export const PICTURE_KINDS = ['png', 'jpeg', 'gif', 'webp'] as const
export type PictureKind = (typeof PICTURE_KINDS)[number]

/** Line numbers, pages, slides and sheets count from 1. */
export interface ParsedFile {
  kind: FileKind
  /** The title inside the file. The caller knows its name in Slack. */
  title?: string
  /** When a web page says that it was published, as it writes it. */
  published?: string
  /**
   * The sections in order: the pages of a pdf, the slides of a presentation, the sheets of a workbook (a csv is one
   * unnamed sheet). Every other kind has one section. There is always at least one.
   */
  sections: Section[]
  /** The entries of the outline: headings of a document, bookmarks of a pdf, declarations in code. */
  headings?: Heading[]
  /** The tables inside a document. The sheets of a workbook are its sections. */
  tables?: ParsedTable[]
  /** Sentences on missing content: the file was cut for its size, or pages could not be read. */
  notes?: string[]
}

export interface Section {
  /** The name of a sheet, or the title of a slide. */
  name?: string
  /**
   * Lines divided by `\n`. Line 5 of a sheet is row 5; its cells are divided by tabs, and no cell contains a tab or a
   * line break.
   */
  text: string
  /** The number of lines in `text`; 0 if it is empty. */
  lines: number
  /** The maximum number of columns in a row of the sheet. */
  columns?: number
}

/**
 * A table inside a document. `refused`: why it is not kept whole, and has no text. `hasHeading`: its first row is its
 * heading. `notes`: sentences on what was guessed.
 */
export interface ParsedTable {
  /** Its caption, or the heading above it. */
  name?: string
  /** Rows divided by `\n`, cells by tabs. */
  text: string
  refused?: string
  hasHeading?: true
  notes?: string[]
}

export interface Heading {
  text: string
  /** 1 is the highest. */
  level: number
  section: number
  line: number
}

/** A file and its original name. */
export interface FileBytes {
  name: string
  bytes: Uint8Array
  page?: WebPage
}

/** A file that came from the web. */
export interface WebPage {
  /** Relative links begin here. */
  address: string
  /** The charset of the response, which wins over the one in the page. */
  charset?: string | undefined
  /** Reads all visible text instead of the article. */
  isWhole: boolean
}

/**
 * `fault` is a sentence for a person and for the model: why there is no text, and what to do. `killed`: the reader was
 * ended, or ended itself, at this file, so another try would end the same way.
 */
export type ParseOutcome =
  { file: ParsedFile; fault?: undefined; killed?: undefined } | { file?: undefined; fault: string; killed?: true }

/** In bytes. */
export const MEBIBYTE = 1024 * 1024

/** The limits of a zip, by its own table of contents, before any of it is inflated. */
export interface ZipLimits {
  entries: number
  /** Inflated bytes of one member, and of all members that are read. */
  memberBytes: number
  totalBytes: number
  /** Inflated size over packed size, for members over a mebibyte. Text in XML stays under 100. */
  ratio: number
}

export interface ParseLimits {
  /** Time from the start of a file's reader to its result. Milliseconds. */
  timeoutMs: number
  /** Time for one page of a pdf. Milliseconds. */
  pageMs: number
  /** Time for all files of a question together, without the wait for a reader. Milliseconds. */
  questionMs: number
  /** The memory of all readers together; each gets an even share. */
  memoryMb: number
  /** The maximum text that is kept of a file. Characters. */
  maxChars: number
  zip: ZipLimits
}

export type ReadPart =
  | {
      text: string
      /** The place of the text: `pages 3-5`, `sheet "Sales", A1:C20`, `lines 10-40`. */
      place: string
      /** The numbers of the pages, slides or sheets that the text comes from. */
      sections: number[]
      /** A sentence that says how to read on, if the text was cut. */
      more?: string
      missing?: undefined
    }
  /** A sentence that says what does not exist, and what does. */
  | { missing: string; text?: undefined; more?: undefined }
