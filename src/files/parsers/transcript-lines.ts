/**
 * Parses captions (WebVTT, as Slack has them for clips, and SubRip) into a line per cue: `[1:05] Anna: what was said`.
 */
import { SectionWriter } from '../section-writer.ts'
import { decodeText } from '../text-decoding.ts'
import type { ParsedFile } from '../types.ts'
import type { ToParse } from './parser.ts'

const TIMES = /^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}\s*-->/

export function parseTranscript({ bytes, encoding, limits }: ToParse): ParsedFile {
  const writer = new SectionWriter(limits.maxChars)
  const blocks = decodeText(bytes, encoding)
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
  for (const block of blocks) {
    const cue = cueOf(block)
    if (cue) writer.write(cue)
  }
  // Captions without any cue are plain text.
  if (writer.nextLine === 1) writer.write(blocks.join('\n\n'))
  return writer.file('transcript')
}

/** Far more than anyone says in the seconds of a cue. */
const MAX_IN_CUE = 4000

/** Returns undefined for the header, notes and styles. */
function cueOf(block: string): string | undefined {
  const lines = block.split('\n')
  const at = lines.findIndex((line) => TIMES.test(line))
  if (at < 0) return undefined
  const [, hours, minutes, seconds = ''] = TIMES.exec(lines[at] ?? '') ?? []
  const text = lines
    .slice(at + 1)
    .join(' ')
    .slice(0, MAX_IN_CUE)
  const [, speaker] = /<v(?:\.[^\s>]{0,100})?[ \t]([^>]{1,200})>/.exec(text) ?? []
  const words = text.replace(/<[^<>]{0,300}>/g, '').replace(/\s+/g, ' ')
  const time = [hours && Number(hours), hours ? minutes?.padStart(2, '0') : Number(minutes), seconds.padStart(2, '0')]
  const stamp = `[${time.filter((part) => part !== undefined).join(':')}]`
  return words.trim() === '' ? undefined : `${stamp} ${speaker ? `${speaker.trim()}: ` : ''}${words.trim()}`
}
