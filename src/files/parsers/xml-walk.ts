/** The XML of Office's and LibreOffice's files, tag by tag. No document type is read, so no entity can be declared. */
import { Parser } from 'htmlparser2'
import { decodeText } from '../text-decoding.ts'

export interface XmlReader {
  /** `name` and the attributes' names come without their namespaces' prefixes. */
  open(name: string, attributes: Record<string, string>): void
  close(name: string): void
  text(text: string): void
  /** Whether the rest is of no use. */
  isDone?(): boolean
}

const CHUNK = 64 * 1024

export function walkXml(bytes: Uint8Array | undefined, reader: XmlReader): void {
  if (!bytes) return
  const xml = decodeText(bytes)
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(local(name), locals(attributes)),
      onclosetag: (name) => reader.close(local(name)),
      ontext: (text) => reader.text(text),
    },
    { xmlMode: true },
  )
  for (let at = 0; at < xml.length && !reader.isDone?.(); at += CHUNK) parser.write(xml.slice(at, at + CHUNK))
  parser.end()
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function locals(attributes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [local(name), value]))
}
