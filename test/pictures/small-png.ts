/**
 * Writes a page as a PNG with at most 256 colours, about a third of the browser's size. https://www.w3.org/TR/png-3/.
 */
import { deflateSync, inflateSync } from 'node:zlib'
import { pngChunk } from '../harness/said-files.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const MAX_COLOURS = 256

/** Rows of red, green and blue, one byte each. */
interface Picture {
  width: number
  height: number
  pixels: Buffer
}

/** @throws if the PNG is not as Chromium writes it: eight bits, red, green and blue, optional alpha, not interlaced */
export function smallPng(png: Buffer): Buffer {
  const picture = decode(png)
  const colours = frequentColours(picture)
  return encode(picture, { colours, indexed: indexed(picture, colours) })
}

function decode(png: Buffer): Picture {
  const data: Buffer[] = []
  let header: Buffer = Buffer.alloc(0)
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 8, at + 8 + length)
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'IHDR') header = body
    if (type === 'IDAT') data.push(body)
    at += 12 + length
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth, kind, , , interlace] = header.subarray(8)
  if (depth !== 8 || (kind !== 2 && kind !== 6) || interlace !== 0) throw new Error('This PNG is of another kind.')
  const bytes = kind === 6 ? 4 : 3
  const rows = unfiltered(inflateSync(Buffer.concat(data)), { row: width * bytes, bytes })
  const pixels = Buffer.alloc(width * height * 3)
  for (let i = 0; i < width * height; i++) rows.copy(pixels, i * 3, i * bytes, i * bytes + 3)
  return { width, height, pixels }
}

/** Reverses a row's filter, which stores each byte as its difference from the bytes to the left and above. */
function unfiltered(data: Buffer, { row, bytes }: { row: number; bytes: number }): Buffer {
  const height = data.length / (row + 1)
  const rows = Buffer.alloc(row * height)
  for (let y = 0; y < height; y++) {
    const filter = data[y * (row + 1)]!
    for (let x = 0; x < row; x++) {
      const at = y * row + x
      const left = x >= bytes ? rows[at - bytes]! : 0
      const up = y > 0 ? rows[at - row]! : 0
      const corner = x >= bytes && y > 0 ? rows[at - row - bytes]! : 0
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)]
      rows[at] = data[y * (row + 1) + 1 + x]! + guesses[filter]!
    }
  }
  return rows
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [l, u, c] = [left, up, corner].map((value) => Math.abs(guess - value)) as [number, number, number]
  if (l <= u && l <= c) return left
  return u <= c ? up : corner
}

function colourAt({ pixels }: Picture, i: number): number {
  return pixels.readUIntBE(i * 3, 3)
}

function frequentColours(picture: Picture): number[] {
  const counts = new Map<number, number>()
  for (let i = 0; i < picture.width * picture.height; i++) {
    const colour = colourAt(picture, i)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  return sorted.slice(0, MAX_COLOURS).map(([colour]) => colour)
}

/** Returns each row with the filter byte 0 before it, and each pixel as the index of the nearest colour. */
function indexed(picture: Picture, colours: number[]): Buffer {
  const { width, height } = picture
  const places = new Map(colours.map((colour, place) => [colour, place]))
  const rows = Buffer.alloc((width + 1) * height)
  for (let i = 0; i < width * height; i++) {
    const colour = colourAt(picture, i)
    const place = places.get(colour) ?? nearest(colour, colours)
    places.set(colour, place)
    rows[i + Math.floor(i / width) + 1] = place
  }
  return rows
}

function nearest(colour: number, colours: number[]): number {
  const distances = colours.map((other) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}

function encode({ width, height }: Picture, { colours, indexed }: { colours: number[]; indexed: Buffer }): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits, a palette.
  header.set([8, 3, 0, 0, 0], 8)
  const palette = Buffer.alloc(colours.length * 3)
  colours.forEach((colour, place) => palette.writeUIntBE(colour, place * 3, 3))
  const data = deflateSync(indexed, { level: 9, memLevel: 9 })
  const chunks = [
    pngChunk('IHDR', header),
    pngChunk('PLTE', palette),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([SIGNATURE, ...chunks])
}
