/** Follows the fields of a Word part (ECMA-376, part 1, 17.16): links, old equations, and choices of old forms. */
import type { XmlAttributes } from './xml-walk.ts'

interface FieldWriter {
  link(href: string): void
  endLink(): void
  put(text: string): void
  unread(what: string): void
}

/** An open field. `isLink`: its result is a link's text. */
interface Field {
  instruction: string
  isLink: boolean
}

const MAX_INSTRUCTION = 3000
const MAX_FIELDS = 100

export class DocxFields {
  readonly #writer: FieldWriter
  readonly #open: Field[] = []
  #choices: { entries: string[]; chosen: number } | undefined

  constructor(writer: FieldWriter) {
    this.#writer = writer
  }

  open(name: string, { val = '', fldCharType = '', instr = '' }: XmlAttributes): void {
    if (name === 'fldSimple') this.#begin(instr)
    if (name === 'fldChar' && fldCharType === 'begin' && this.#open.length < MAX_FIELDS)
      this.#open.push({ instruction: '', isLink: false })
    if (name === 'fldChar' && fldCharType === 'separate') this.#beginResult()
    if (name === 'fldChar' && fldCharType === 'end') this.#end()
    if (name === 'ddList') this.#choices = { entries: [], chosen: 0 }
    if (!this.#choices) return
    if (name === 'default' || name === 'result') this.#choices.chosen = Number(val) || 0
    if (name === 'listEntry') this.#choices.entries.push(val)
  }

  instruction(text: string): void {
    const field = this.#open.at(-1)
    if (field && field.instruction.length < MAX_INSTRUCTION) field.instruction += text
  }

  close(name: string): void {
    if (name === 'fldSimple') this.#end()
    if (name !== 'ddList') return
    const { entries = [], chosen = 0 } = this.#choices ?? {}
    this.#choices = undefined
    this.#writer.put(entries[chosen] ?? '')
  }

  #begin(instruction: string): void {
    this.#open.push({ instruction, isLink: false })
    this.#beginResult()
  }

  #beginResult(): void {
    const field = this.#open.at(-1)
    const [, href] = /^\s*HYPERLINK\s+"([^"]{1,2000})"/i.exec(field?.instruction ?? '') ?? []
    if (!field || href === undefined) return
    field.isLink = true
    this.#writer.link(href)
  }

  #end(): void {
    const field = this.#open.pop()
    if (field?.isLink) this.#writer.endLink()
    if (/^\s*EQ\b/i.test(field?.instruction ?? '')) this.#equation(field?.instruction ?? '')
  }

  /** An equation of Word before 2007 is its instruction. */
  #equation(instruction: string): void {
    const [, over, under] = FRACTION.exec(instruction) ?? []
    const [, base] = PRONOUNCED.exec(instruction) ?? []
    if (over !== undefined && under !== undefined) this.#writer.put(`(${over.trim()})/(${under.trim()})`)
    else if (base !== undefined) this.#writer.put(base.trim())
    else this.#writer.unread('equation')
  }
}

const FRACTION = /^\s*EQ\s+\\f\s?\(([^();,\\]{1,200})[;,]([^();,\\]{1,200})\)\s*$/i
/** A word with its pronunciation above. */
const PRONOUNCED = /\\o\\ad\s?\(\\s\\up\s?\d{1,3}\([^()]{0,200}\)[;,]([^();,\\]{1,200})\)\s*$/i
