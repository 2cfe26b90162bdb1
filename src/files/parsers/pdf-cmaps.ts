/**
 * The predefined encodings of East Asian fonts that a pdf does not embed (ISO 32000-2, 9.7.5.2), as CMaps whose glyph
 * numbers are Unicode. pdf.js brings its own as files, which unpdf leaves out.
 */

const UNICODE = /^Uni(?:GB|CNS|JIS|JISPro|JIS2004|KS)-(?:UCS2|UTF16)(?:-HW)?-[HV]$/
const UTF32 = /^Uni(?:GB|CNS|JIS|JIS2004|KS)-UTF32-[HV]$/
const TO_UNICODE = /^Adobe-(?:GB1|CNS1|Japan1|Korea1)-UCS2$/
/** Encodings by the names of their CMaps: the bytes that begin a character alone, and the ranges of two bytes. */
interface LegacyEncoding {
  name: RegExp
  label: string
  ones: string[]
  twos: string[]
  isSevenBit?: boolean
}

const LEGACY: LegacyEncoding[] = [
  {
    name: /^(?:90msp?|90pv|83pv|78ms|)-?RKSJ-[HV]$/,
    label: 'shift_jis',
    ones: ['00', '80', 'a0', 'df'],
    twos: ['8140', '9ffc', 'e040', 'fcfc'],
  },
  { name: /^(?:GBKp?|GBK2K|GBpc|GB)-(?:EUC-)?[HV]$/, label: 'gb18030', ones: ['00', '80'], twos: ['8140', 'fefe'] },
  {
    name: /^(?:ETen|ETenms|B5pc|HKscs)-B5-[HV]$|^B5pc-[HV]$/,
    label: 'big5',
    ones: ['00', '80'],
    twos: ['8740', 'fefe'],
  },
  { name: /^KSC(?:ms|pc)?-(?:UHC|EUC)(?:-HW)?-[HV]$/, label: 'euc-kr', ones: ['00', '80'], twos: ['8141', 'fefe'] },
  { name: /^EUC-[HV]$/, label: 'euc-jp', ones: ['00', '80'], twos: ['8ea0', '8edf', 'a1a1', 'fefe'] },
  // JIS without its escapes: both bytes of EUC-JP without their highest bits.
  { name: /^(?:Add-|Ext-|NWP-)?[HV]$/, label: 'euc-jp', ones: [], twos: ['2121', '7e7e'], isSevenBit: true },
]

/** Returns the class that pdf.js gets its files from, and how many it asked for that are not there. */
export function cmapSource() {
  /** The number of requests for one that is not there. */
  const asked = { missing: 0 }
  let isOwn = false
  return {
    asked,
    BinaryDataFactory: class {
      async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
        if (kind !== 'cMapUrl') throw new Error(`${filename} is not there.`)
        const text = TO_UNICODE.test(filename) && !isOwn ? undefined : cmapOf(filename)
        isOwn ||= text !== undefined
        if (text !== undefined) return new TextEncoder().encode(text)
        asked.missing += 1
        throw new Error(`The CMap ${filename} is not there.`)
      }
    },
  }
}

function cmapOf(name: string): string | undefined {
  if (TO_UNICODE.test(name)) return cmap(['0000', 'ffff'], '1 beginbfrange\n<0001> <ffff> <0001>\nendbfrange')
  if (UNICODE.test(name)) return cmap(['0000', 'ffff'], '1 begincidrange\n<0001> <ffff> 1\nendcidrange')
  if (UTF32.test(name)) return cmap(['00000000', '0000ffff'], '1 begincidrange\n<00000001> <0000ffff> 1\nendcidrange')
  const legacy = LEGACY.find((one) => one.name.test(name))
  if (!legacy) return undefined
  const { label, ones, twos, isSevenBit = false } = legacy
  const first = isSevenBit ? 0x21 : 0x81
  const decoder = new TextDecoder(label)
  const lines: string[] = []
  const add = (bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes, (byte) => (isSevenBit ? byte | 0x80 : byte)))
    if (text.length === 1 && text !== '\ufffd') lines.push(`<${hex(bytes)}> ${text.charCodeAt(0)}`)
  }
  for (let byte = 1; byte < 0xe0; byte += 1) if (isWithin([byte], ones)) add([byte])
  for (let lead = first; lead < 0xff; lead += 1)
    for (let trail = isSevenBit ? first : 0x40; trail < 0xff; trail += 1)
      if (isWithin([lead, trail], twos)) add([lead, trail])
  return cmap([...ones, ...twos], `${lines.length} begincidchar\n${lines.join('\n')}\nendcidchar`)
}

function cmap(spaces: string[], maps: string): string {
  const ranges = spaces.map((bound, i) => `<${bound}>${i % 2 === 0 ? ' ' : '\n'}`).join('')
  return `begincmap\n${spaces.length / 2} begincodespacerange\n${ranges}endcodespacerange\n${maps}\nendcmap\n`
}

function isWithin(bytes: number[], ranges: string[]): boolean {
  const value = hex(bytes)
  return ranges.some((low, i) => i % 2 === 0 && value >= low && value <= (ranges[i + 1] ?? ''))
}

function hex(bytes: number[]): string {
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
