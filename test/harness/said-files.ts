import { deflateSync, crc32 } from 'node:zlib'
import type { UploadedFile } from '../../playground/slack/slack.ts'

/** People's files, in one line each: `bot.mention('sum it up', { files: [textFile('notes.md', '# Notes')] })`. */
export function textFile(name: string, text: string, more: Partial<UploadedFile> = {}): UploadedFile {
  return { name, bytes: text, ...more }
}

/** Returns a real PNG of one colour. Slack makes smaller ones if it is wider than 360 pixels. */
export function picture(
  name = 'picture.png',
  more: Partial<UploadedFile> & { width?: number; height?: number } = {},
): UploadedFile {
  const { width = 8, height = width, ...rest } = more
  return { name, bytes: png(width, height), ...rest }
}

/** Returns a clip with a transcript. Its bytes are not audio. */
export function clip(name: string, transcript: string, more: Partial<UploadedFile> = {}): UploadedFile {
  return { name, bytes: Buffer.from('no sound at all'), transcript, ...more }
}

/** Files in Slack that cannot be downloaded. */
export const noFile = {
  deleted: (name = 'gone.pdf'): UploadedFile => ({ name, mode: 'tombstone' }),
  hiddenByLimit: (name = 'old.pdf'): UploadedFile => ({ name, mode: 'hidden_by_limit' }),
  external: (name = 'Plan', externalUrl = 'https://docs.example.com/d/1'): UploadedFile => ({
    name,
    mode: 'external',
    externalUrl,
  }),
}

/** https://www.w3.org/TR/png-3: a header, the pixels (three bytes each, and a filter byte per row), an end. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.alloc(1 + 3 * width, 0x7f).fill(0, 0, 1)
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** Returns a chunk of a PNG: its length, its type, its bytes and their checksum. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
