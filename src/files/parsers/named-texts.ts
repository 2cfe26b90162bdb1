/** Parses texts that need decoding and are known by their names: e-mails and notebooks. */
import { isMail } from '../file-type.ts'
import { decodeText } from '../text-decoding.ts'
import type { ParsedFile } from '../types.ts'
import { mailText } from './mail-text.ts'
import { notebookText } from './notebook-text.ts'
import type { ToParse } from './parser.ts'
import { parsePlain, plainFile } from './plain-lines.ts'

export function parseNamedText(file: ToParse): ParsedFile {
  const { kind, bytes, encoding, limits } = file
  if (isMail(file)) {
    const mail = mailText(bytes, limits.maxChars)
    if (mail !== undefined) {
      const read = plainFile(mail.text, 'text', limits.maxChars)
      return mail.notes.length > 0 ? { ...read, notes: [...(read.notes ?? []), ...mail.notes] } : read
    }
  }
  const notebook = kind === 'json' ? notebookText(decodeText(bytes, encoding), limits.maxChars) : undefined
  return notebook === undefined ? parsePlain(file) : plainFile(notebook, 'markdown', limits.maxChars)
}
