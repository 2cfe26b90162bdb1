/** A small picture that a model with vision cannot misread. */
import { crc32, deflateSync } from 'node:zlib'
import type { Picture } from '../../agent/contracts/model.ts'

const SIDE = 32
const RED = [220, 20, 20]

/** Creates a PNG of one colour (https://www.w3.org/TR/png-3/): rows of RGB, each after a filter byte. */
export function redSquare(): Picture {
  const row = Buffer.from([0, ...Array.from({ length: SIDE }, () => RED).flat()])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIDE, 0)
  header.writeUInt32BE(SIDE, 4)
  header.set([8, 2], 8)
  const rows = deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => row)))
  const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', rows), pngChunk('IEND', Buffer.alloc(0))]
  const bytes = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
  return { name: 'red.png', mime: 'image/png', base64: bytes.toString('base64') }
}

function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
