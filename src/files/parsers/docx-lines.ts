/** Parses a docx into lines. Mammoth converts it to HTML, which keeps headings, lists and tables. */
import mammoth from 'mammoth'
import type { ParsedFile } from '../types.ts'
import { readMembers, storedZip } from '../zip-members.ts'
import { htmlLines } from './html-lines.ts'
import type { ToParse } from './parser.ts'

/** Pictures, fonts and macros are not unpacked. */
const isText = (name: string) => /\.(?:xml|rels)$/i.test(name)

const noPicture = mammoth.images.imgElement(() => Promise.resolve({ src: '' }))

export async function parseDocx({ bytes, limits }: ToParse): Promise<ParsedFile> {
  const zip = storedZip(readMembers(bytes, isText, limits.zip))
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(zip.buffer, zip.byteOffset, zip.byteLength) },
    { convertImage: noPicture, externalFileAccess: false, includeEmbeddedStyleMap: false },
  )
  return htmlLines(value, 'docx', limits.maxChars)
}
