/**
 * Walks the XML of Office and LibreOffice files tag by tag. Document types are ignored, so no entity can be declared.
 */
import { Parser } from 'htmlparser2'
import { decodeXml } from '../text-decoding.ts'
import { UnreadableFile } from './parser.ts'

/** The attributes of an element, without namespace prefixes. */
export type XmlAttributes = Record<string, string>

/** Names have no namespace prefix. */
interface XmlReader {
  open(name: string, attributes: XmlAttributes): void
  /** `isImplied`: the file has no closing tag. */
  close?(name: string, isImplied: boolean): void
  /** `inside`: the innermost open element. */
  text?(text: string, inside: string): void
  /** Whether the rest can be skipped. */
  isDone?(): boolean
}

/** Documents stay under 100. The parser's work per tag grows with the depth. */
const MAX_DEPTH = 500

/** @throws UnreadableFile if the tags are nested too deeply */
export function walkXml(bytes: Uint8Array | undefined, reader: XmlReader): void {
  if (!bytes) return
  const open: string[] = []
  const branches = new Branches()
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        open.push(local(name))
        if (open.length > MAX_DEPTH) throw new UnreadableFile('The file is damaged: its parts are nested too deeply.')
        if (branches.open(name, open.length)) reader.open(local(name), locals(attributes))
      },
      onclosetag: (name, isImplied) => {
        open.pop()
        if (branches.close(open.length)) reader.close?.(local(name), isImplied)
      },
      ontext: (text) => {
        if (branches.text(text)) reader.text?.(text, open.at(-1) ?? '')
      },
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

/**
 * Chooses among the branches of `mc:AlternateContent` (ECMA-376, part 3), which say the same to newer and older
 * programs: the first that contains text is read.
 */
class Branches {
  readonly #open: { depth: number; hasText: boolean }[] = []
  /** The depth of the branch that is skipped. */
  #skipped = Infinity

  open(name: string, depth: number): boolean {
    if (depth > this.#skipped) return false
    if (name === 'mc:AlternateContent') this.#open.push({ depth, hasText: false })
    const isBranch = name === 'mc:Choice' || name === 'mc:Fallback'
    if (isBranch && this.#open.at(-1)?.hasText) this.#skipped = depth
    return this.#skipped === Infinity
  }

  /** @param depth of what stays open */
  close(depth: number): boolean {
    const isSkipped = this.#skipped !== Infinity
    if (depth < this.#skipped) this.#skipped = Infinity
    if (depth < (this.#open.at(-1)?.depth ?? 0)) this.#open.pop()
    return !isSkipped
  }

  text(text: string): boolean {
    if (this.#skipped !== Infinity) return false
    if (this.#open.length > 0 && text.trim() !== '') for (const one of this.#open) one.hasText = true
    return true
  }
}
