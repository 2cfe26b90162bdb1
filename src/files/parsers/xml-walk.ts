/**
 * Walks the XML of Office and LibreOffice files tag by tag. Document types are ignored, so no entity can be declared.
 */
import { Parser } from 'htmlparser2'
import { decodeXml } from '../text-decoding.ts'
import { UnreadableFile } from './parser.ts'

interface XmlReader {
  /** `name` and the attribute names have no namespace prefix. */
  open(name: string, attributes: Record<string, string>): void
  close(name: string): void
  text(text: string): void
  /** Whether the rest can be skipped. */
  isDone?(): boolean
}

/** Documents stay under 100. The parser's work per tag grows with the depth. */
const MAX_DEPTH = 500

/** @throws UnreadableFile if the tags are nested too deeply */
export function walkXml(bytes: Uint8Array | undefined, reader: XmlReader): void {
  if (!bytes) return
  let depth = 0
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1
        if (depth > MAX_DEPTH) throw new UnreadableFile('The file is damaged: its parts are nested too deeply.')
        reader.open(local(name), locals(attributes))
      },
      onclosetag: (name) => {
        depth -= 1
        reader.close(local(name))
      },
      ontext: (text) => reader.text(text),
    },
    { xmlMode: true },
  )
  for (const piece of decodeXml(bytes)) {
    if (reader.isDone?.()) break
    parser.write(piece)
  }
  parser.end()
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function locals(attributes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [local(name), value]))
}
