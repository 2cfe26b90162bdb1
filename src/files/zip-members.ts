/**
 * Reads a zip without trusting it. The sizes in its table of contents are checked before anything is inflated, and no
 * member inflates beyond its declared size: fflate writes into a buffer of that size.
 */
import { unzipSync, type UnzipFileInfo } from 'fflate'
import { MEBIBYTE, type ZipLimits } from './types.ts'
import { UnreadableFile } from './parsers/parser.ts'

const STORED = 0
const DEFLATED = 8

export type ZipMembers = Record<string, Uint8Array>

/** Returns the names in the table of contents, at most `max`; none if it cannot be read. */
export function memberNames(bytes: Uint8Array, max: number): string[] {
  const names: string[] = []
  try {
    unzipSync(bytes, {
      filter: ({ name }) => {
        names.push(name)
        if (names.length >= max) throw new UnreadableFile('')
        return false
      },
    })
  } catch {
    return names
  }
  return names
}

/**
 * @throws UnreadableFile for a zip that is broken, packed in an unknown way, or larger than the limits once unpacked
 */
export function readMembers(bytes: Uint8Array, isWanted: (name: string) => boolean, limits: ZipLimits): ZipMembers {
  const checked = counter(limits)
  try {
    return unzipSync(bytes, { filter: (member) => checked(member, isWanted(member.name)) })
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw new UnreadableFile('The file is damaged: it cannot be unpacked.')
  }
}

/** Returns a filter that says whether a member is read, and throws once the zip exceeds a limit. */
function counter(limits: ZipLimits): (member: UnzipFileInfo, isWanted: boolean) => boolean {
  const tooMuch = (what: string) =>
    new UnreadableFile(`The file is too large when unpacked (${what}), so I did not open it.`)
  let entries = 0
  let total = 0
  return ({ size, originalSize, compression }, isWanted) => {
    entries += 1
    if (entries > limits.entries) throw tooMuch(`over ${limits.entries} parts`)
    if (!isWanted) return false
    if (compression !== STORED && compression !== DEFLATED)
      throw new UnreadableFile('The file is compressed in a way that I cannot read.')
    const inflated = compression === STORED ? size : originalSize
    total += inflated
    if (inflated > limits.memberBytes || total > limits.totalBytes)
      throw tooMuch(`over ${Math.round(limits.totalBytes / MEBIBYTE)} MB`)
    if (inflated > MEBIBYTE && inflated > limits.ratio * size) throw tooMuch('it is packed like a zip bomb')
    return true
  }
}
