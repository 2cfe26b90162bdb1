/**
 * Decides a file's type by its content. Its name only distinguishes flavours of text (csv, Markdown, code): anybody can
 * name anything `report.pdf`, and Slack's own type of a file comes from its name.
 */
import { declaredEncoding, decodeText, detectEncoding, type DetectedEncoding } from './text-decoding.ts'
import { PASSWORD } from './parsers/parser.ts'
import type { FileBytes, FileKind, PictureKind } from './types.ts'
import { memberNames, readMembers } from './zip-members.ts'

export interface TextType extends Partial<DetectedEncoding> {
  kind: FileKind
}

type FileType =
  | TextType
  | { picture: PictureKind }
  /** A sentence: why the file is not read, and what would be. */
  | { fault: string }

/** A pdf may have some bytes before its header. */
const PDF_HEADER_WITHIN = 1024
const MAX_MEMBERS = 10_000
/** How many bytes of a text are used to detect its kind. */
const HEAD = 4096

const EMPTY = 'The file is empty.'

/** Returns which picture the bytes are. Reads only the first of them, so it may run on the main thread. */
export function pictureKind(bytes: Uint8Array): PictureKind | undefined {
  return PICTURES.find(({ magic, at = 0 }) => startsWith(bytes, magic, at))?.picture
}

/** Returns the type of the bytes. May read all of them, so it runs in the process that parses the file. */
export function fileTypeOf({ name, bytes }: FileBytes): FileType {
  if (bytes.length === 0) return { fault: EMPTY }
  const picture = pictureKind(bytes)
  if (picture) return { picture }
  const signed = SIGNATURES.find(({ magic, at = 0 }) => startsWith(bytes, magic, at))
  if (signed) return signed.type(bytes)
  if (indexOf(bytes.subarray(0, PDF_HEADER_WITHIN), '%PDF-') >= 0) return { kind: 'pdf' }
  const detected = detectEncoding(bytes)
  if (!detected) return { fault: 'I cannot read this kind of file. I read documents, tables, text and pictures.' }
  const { encoding, isGuessed, ...more } = detected
  const head = decodeText(bytes.subarray(0, HEAD), encoding)
  if (head.trim() === '' && decodeText(bytes, encoding).trim() === '') return { fault: EMPTY }
  const kind = textKind(name, head)
  // What the bytes themselves show is surer than the first line of XML.
  const isXml = kind !== 'html' && isGuessed === true && head.trimStart().startsWith('<?xml')
  const declared = kind === 'html' || isXml ? declaredEncoding(bytes) : undefined
  if (declared && !(isXml && /^utf-?8$/i.test(declared))) return { kind, encoding: declared }
  return { kind, encoding, ...more, ...(isGuessed && { isGuessed }) }
}

/** Returns whether a text is an e-mail, or a page that was saved as one: Confluence names those `.doc`. */
export function isMail({ name, bytes }: FileBytes): boolean {
  if (/\.(?:emlx?|mht|mhtml)$/i.test(name)) return true
  const [headers = ''] = latin1(bytes.subarray(0, HEAD)).split(/\r?\n\r?\n/, 1)
  return /\.doc$/i.test(name) && /^[\w-]{2,60}:/.test(headers) && /^content-type:\s*multipart\//im.test(headers)
}

interface Signature {
  magic: string
  at?: number
  type(bytes: Uint8Array): FileType
}

const notRead = (what: string, instead: string) => () => ({ fault: `${what} is not read${instead}` })
const archive = notRead('An archive', '. Upload its files one by one.')
const recording = notRead('A recording', '. Upload a transcript as text.')

const PICTURES: { magic: string; at?: number; picture: PictureKind }[] = [
  { magic: '\x89PNG\r\n\x1a\n', picture: 'png' },
  { magic: '\xff\xd8\xff', picture: 'jpeg' },
  { magic: 'GIF87a', picture: 'gif' },
  { magic: 'GIF89a', picture: 'gif' },
  { magic: 'WEBP', at: 8, picture: 'webp' },
]

const ARCHIVES = ['\x1f\x8b', '7z\xbc\xaf\x27\x1c', 'Rar!\x1a\x07', 'BZh', '\xfd7zXZ\x00', '\x28\xb5\x2f\xfd']

/** If a magic number alone is ambiguous, `type` looks further. */
const SIGNATURES: Signature[] = [
  { magic: '%PDF-', type: () => ({ kind: 'pdf' }) },
  { magic: 'PK\x03\x04', type: zipType },
  { magic: 'PK\x05\x06', type: archive },
  { magic: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', type: oleType },
  { magic: '{\\rtf', type: notRead('RTF', '. Save it as docx or pdf.') },
  ...ARCHIVES.map((magic) => ({ magic, type: archive })),
  { magic: 'ftyp', at: 4, type: recording },
  { magic: 'WAVE', at: 8, type: recording },
  ...['ID3', 'OggS', '\x1aE\xdf\xa3'].map((magic) => ({ magic, type: recording })),
]

/** Documents of Office and LibreOffice are zips; the parts in them tell which. */
function zipType(bytes: Uint8Array): FileType {
  const names = new Set(memberNames(bytes, MAX_MEMBERS))
  if (names.size === 0) return { fault: 'The file is damaged: it cannot be unpacked.' }
  if (names.has('xl/workbook.bin')) return { fault: 'I cannot read binary workbooks (xlsb). Save it as xlsx.' }
  if (names.has('xl/workbook.xml')) return { kind: 'xlsx' }
  if (names.has('ppt/presentation.xml')) return { kind: 'pptx' }
  if ([...names].some((name) => /^word\/document\d*\.xml$/.test(name))) return { kind: 'docx' }
  const mimetype = mimetypeIn(bytes)
  if (mimetype.startsWith('application/epub+zip'))
    return { fault: 'I cannot read e-books (epub). Save it as pdf or docx.' }
  if ([...names].some((name) => /^Index\/.*\.iwa$/.test(name) || name === 'Index.zip'))
    return { fault: 'I cannot read files of Pages, Numbers or Keynote. Export it as docx, xlsx, pptx or pdf.' }
  return openDocument(mimetype) ?? archive()
}

/** An OpenDocument names its type in a member of its own. Its templates are read too. */
function openDocument(mimetype: string): FileType | undefined {
  const [, what = ''] = /^application\/vnd\.oasis\.opendocument\.(\w+)/.exec(mimetype) ?? []
  const kind = OPEN_DOCUMENTS.get(what)
  return kind && { kind }
}

const OPEN_DOCUMENTS = new Map<string, FileKind>([
  ['text', 'odt'],
  ['spreadsheet', 'ods'],
  ['presentation', 'odp'],
])

function mimetypeIn(bytes: Uint8Array): string {
  const limits = { entries: MAX_MEMBERS, memberBytes: 1000, totalBytes: 1000, ratio: 100 }
  try {
    return latin1(readMembers(bytes, (name) => name === 'mimetype', limits).mimetype ?? new Uint8Array())
  } catch {
    return ''
  }
}

/** The container of old Office files, and of newer ones with a password. */
function oleType(bytes: Uint8Array): FileType {
  const isEncrypted = indexOf(bytes, [...'EncryptedPackage'].join('\0')) >= 0
  if (isEncrypted) return { fault: PASSWORD }
  // Outlook's messages keep their properties in parts of this name.
  if (indexOf(bytes, [...'__substg1.0_'].join('\0')) >= 0)
    return { fault: 'I cannot read Outlook messages (msg). Save it as eml or pdf.' }
  return { fault: 'I cannot read Office files from before 2007 (doc, xls, ppt). Save it as docx, xlsx or pptx.' }
}

function startsWith(bytes: Uint8Array, magic: string, at: number): boolean {
  return latin1(bytes.subarray(at, at + magic.length)) === magic
}

const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const indexOf = (bytes: Uint8Array, what: string) => bufferOf(bytes).indexOf(what, 0, 'latin1')
const latin1 = (bytes: Uint8Array) => bufferOf(bytes).toString('latin1')

const ENDINGS: Partial<Record<FileKind, string>> = {
  csv: 'csv tsv tab',
  json: 'json jsonl ndjson geojson ipynb',
  markdown: 'md markdown mdx',
  html: 'html htm xhtml',
  canvas: 'quip',
  transcript: 'vtt srt',
  code:
    'js mjs cjs jsx ts mts cts tsx py rb go rs java kt kts scala c h cc cpp hpp cs swift m php pl pm r jl lua sh bash ' +
    'zsh fish ps1 bat sql graphql proto tf hcl css scss sass less vue svelte dart ex exs erl hs ml fs clj lisp el vim ' +
    'asm s zig nim gradle groovy cmake make mk dockerfile yaml yml toml ini conf cfg xml xsd svg diff patch',
}

const KIND_OF = new Map(
  Object.entries(ENDINGS).flatMap(([kind, endings]) => endings.split(' ').map((ending) => [ending, kind as FileKind])),
)

/** Returns the flavour of a text by its beginning (`head`), and then by its name's extension. */
function textKind(name: string, head: string): FileKind {
  const start = head.trimStart().slice(0, 200)
  const known = KIND_OF.get(endingOf(name))
  if (/^WEBVTT\b/.test(start)) return 'transcript'
  if (/^<(?:!doctype html|html)\b/i.test(start)) return known === 'canvas' ? known : 'html'
  if (known) return known
  return /^(?:\{\s*["}]|\[\s*[[{"\d\]])/.test(start) ? 'json' : 'text'
}

/** Includes names without a dot, such as `Dockerfile` and `Makefile`. */
function endingOf(name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return last === 'makefile' ? 'make' : last
}
