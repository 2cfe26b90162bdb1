/** What a file is once it has been read: text with places in it. Plain JSON, so that it can be kept compressed. */

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

/** The kinds of pictures that models look at. */
export type PictureKind = 'png' | 'jpeg' | 'gif' | 'webp'

/** Line numbers, pages, slides and sheets are counted from 1, as people do. */
export interface ParsedFile {
  kind: FileKind
  /** What the file calls itself inside; its name in Slack is the caller's. */
  title?: string
  /**
   * In order: the pages of a pdf, the slides of a presentation, the sheets of a workbook (a csv is one sheet without a name).
   * Every other kind has one section. There is always at least one.
   */
  sections: Section[]
  /** Headings of a document, bookmarks of a pdf, declarations of code: for the outline. */
  headings?: Heading[]
  /** Sentences about what of the file is not in here: it was cut for its size, pages could not be read. */
  notes?: string[]
}

export interface Section {
  /** A sheet's name, a slide's title. */
  name?: string
  /** Lines divided by `\n`. In a sheet line 5 is row 5, its cells are divided by tabs, and no cell holds a tab or a line break. */
  text: string
  /** How many lines `text` has; 0 when it is empty. */
  lines: number
  /** How many columns a sheet has at most. */
  columns?: number
}

export interface Heading {
  text: string
  /** 1 is the highest. */
  level: number
  section: number
  line: number
}

/** A file and how it was named where it came from. */
export interface FileBytes {
  name: string
  bytes: Uint8Array
}

/**
 * `fault` is a sentence for a person and for the model: why there is no text, and what to do. `killed`: the file's reader was
 * ended, or ended itself, at the file, so another try would end in the same way.
 */
export type ParseOutcome =
  { file: ParsedFile; fault?: undefined; killed?: undefined } | { file?: undefined; fault: string; killed?: true }

/** What a zip may hold, by its own table of contents, before any of it is inflated. */
export interface ZipLimits {
  entries: number
  /** Inflated bytes of one member and of those that are read. */
  memberBytes: number
  totalBytes: number
  /** Inflated to packed bytes of a member over a mebibyte. Text in XML stays under 100. */
  ratio: number
}

export interface ParseLimits {
  /** From the start of a file's reader to its result, in ms. */
  timeoutMs: number
  /** One page of a pdf, in ms. */
  pageMs: number
  /** All files of a question together, in ms, without the waiting for a reader. */
  questionMs: number
  /** The memory of all readers together; each may have its even share. */
  memoryMb: number
  /** Characters of text that are kept of a file. */
  maxChars: number
  zip: ZipLimits
}

/** As a model writes it: all optional, and nothing of it is trusted. */
export interface WantedPart {
  /** Pages of a pdf or slides: `3`, `3-5`. */
  pages?: string | number
  /** The name of a sheet, or its number. */
  sheet?: string | number
  /** Cells, columns or rows of a sheet: `A1:C20`, `B:D`, `10:20`. */
  range?: string
  /** Lines of the file, or of the one page that is named; rows of a sheet. */
  lines?: string | number
}

export type ReadPart =
  | {
      text: string
      /** Where that stands: `pages 3-5`, `sheet "Sales", A1:C20`, `lines 10-40`. */
      place: string
      /** The numbers of the pages, slides or sheets that the text is from. */
      sections: number[]
      /** A sentence: how to read on, where the text was cut. */
      more?: string
      missing?: undefined
    }
  /** What is not there, and what is. */
  | { missing: string; text?: undefined; more?: undefined }
