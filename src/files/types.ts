/** A parsed file: text with its locations. Plain JSON, so that it can be stored compressed. */

/** The kinds of files that become text. */
export const FILE_KINDS = [
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'odt',
  'odp',
  'ods',
  'csv',
  'json',
  'markdown',
  'html',
  'transcript',
  'code',
  'text',
] as const
export type FileKind = (typeof FILE_KINDS)[number]

/** The kinds of pictures that models can see. */
export type PictureKind = 'png' | 'jpeg' | 'gif' | 'webp'

/** Line numbers, pages, slides and sheets count from 1. */
export interface ParsedFile {
  kind: FileKind
  /** The title inside the file; the caller knows its name in Slack. */
  title?: string
  /**
   * In order: the pages of a pdf, the slides of a presentation, the sheets of a workbook (a csv is one unnamed sheet).
   * Every other kind has one section. There is always at least one.
   */
  sections: Section[]
  /** For the outline: headings of a document, bookmarks of a pdf, declarations in code. */
  headings?: Heading[]
  /** Sentences about what is missing here: the file was cut for its size, pages could not be read. */
  notes?: string[]
}

export interface Section {
  /** A sheet's name or a slide's title. */
  name?: string
  /**
   * Lines separated by `\n`. In a sheet, line 5 is row 5, tabs separate its cells, and no cell contains a tab or a line
   * break.
   */
  text: string
  /** How many lines `text` has; 0 if it is empty. */
  lines: number
  /** The column count of a sheet's widest row. */
  columns?: number
}

export interface Heading {
  text: string
  /** 1 is the highest. */
  level: number
  section: number
  line: number
}

/** A file with its original name. */
export interface FileBytes {
  name: string
  bytes: Uint8Array
}

/**
 * `fault` is a sentence for people and the model: why there is no text, and what to do. `killed`: the reader was ended,
 * or ended itself, because of the file, so a retry would fail the same way.
 */
export type ParseOutcome =
  { file: ParsedFile; fault?: undefined; killed?: undefined } | { file?: undefined; fault: string; killed?: true }

/** Limits for a zip, checked against its table of contents before anything is inflated. */
export interface ZipLimits {
  entries: number
  /** Inflated bytes of one member, and of all members that are read. */
  memberBytes: number
  totalBytes: number
  /** Inflated size over packed size, for members over a mebibyte. Text in XML stays under 100. */
  ratio: number
}

export interface ParseLimits {
  /** From the start of a file's reader to its result, in ms. */
  timeoutMs: number
  /** For one page of a pdf, in ms. */
  pageMs: number
  /** For all files of a question together, in ms, without the time in the queue. */
  questionMs: number
  /** The memory of all readers together, in MiB, shared evenly. */
  memoryMb: number
  /** Characters of text that are kept of a file. */
  maxChars: number
  zip: ZipLimits
}

/** A model's input: every field is optional, and nothing is trusted. */
export interface WantedPart {
  /** Pages of a pdf or slides: `3`, `3-5`. */
  pages?: string | number
  /** The name or number of a sheet. */
  sheet?: string | number
  /** Cells, columns or rows of a sheet: `A1:C20`, `B:D`, `10:20`. */
  range?: string
  /** Lines of the file or of the one named page; rows of a sheet. */
  lines?: string | number
}

export type ReadPart =
  | {
      text: string
      /** The location of the text: `pages 3-5`, `sheet "Sales", A1:C20`, `lines 10-40`. */
      place: string
      /** The numbers of the pages, slides or sheets that the text is from. */
      sections: number[]
      /** A sentence: how to read on, if the text was cut. */
      more?: string
      missing?: undefined
    }
  /** A sentence: what does not exist, and what does. */
  | { missing: string; text?: undefined; more?: undefined }
