/** Reads the equations of a page (MathML) on one line each. */
import { EquationText } from './equation-text.ts'
import { words, type Attributes } from './html-tags.ts'

const MAX_EQUATION = 2000

/** Takes the equations out of a page's tags. Each method returns whether the tag or the text belongs to one. */
export class PageEquations {
  readonly #write: (written: string) => void
  #open: MathText | undefined

  /** `write` gets each equation when it ends: an empty text if it cannot be written. */
  constructor(write: (written: string) => void) {
    this.#write = write
  }

  /** The number of open elements inside an equation. */
  get depth(): number {
    return this.#open?.depth ?? 0
  }

  open(name: string, attributes: Attributes): boolean {
    if (this.#open) this.#open.open(name, attributes)
    else if (name === 'math') this.#open = new MathText(attributes)
    return this.#open !== undefined
  }

  close(name: string): boolean {
    const equation = this.#open
    if (!equation) return name === 'math'
    if (equation.close()) {
      this.#open = undefined
      this.#write(equation.result())
    }
    return true
  }

  text(text: string): boolean {
    this.#open?.text(text)
    return this.#open !== undefined
  }
}

/** The roles of an element's children, in order. */
const CHILDREN: Record<string, string[]> = {
  mfrac: ['num', 'den'],
  msup: ['', 'sup'],
  msub: ['', 'sub'],
  msubsup: ['', 'sub', 'sup'],
  munder: ['', 'sub'],
  mover: ['', 'sup'],
  munderover: ['', 'sub', 'sup'],
}
const ELEMENTS: Record<string, string[]> = { msqrt: ['rad', 'e'], mtable: ['m'], mtr: ['mr'], mtd: ['e'] }

/** Elements whose children cannot be written one after the other. */
const UNKNOWN = words('mroot mfenced mmultiscripts menclose')

/** Writes MathML on one line: its `alttext`, or its TeX, if it has any. */
class MathText {
  readonly #alttext: string
  readonly #equation = new EquationText()
  #open: { name: string; children: number; parts: number }[] = []
  #text = ''
  #tex = ''
  #isKnown = true

  constructor({ alttext = '' }: Attributes) {
    this.#alttext = alttext
  }

  open(name: string, { encoding = '' }: Attributes): void {
    const parent = this.#open.at(-1)
    const part = CHILDREN[parent?.name ?? '']?.[parent?.children ?? 0]
    if (parent) parent.children += 1
    if (UNKNOWN.has(name)) this.#isKnown = false
    const parts = [...(part ? [part] : []), ...(ELEMENTS[name] ?? [])]
    for (const one of parts) this.#equation.open(one, {})
    const isTex = name === 'annotation' && /tex/i.test(encoding)
    this.#open.push({ name: isTex ? 'tex' : name, children: 0, parts: parts.length })
  }

  get depth(): number {
    return this.#open.length
  }

  /** Returns whether this closes the equation itself. */
  close(): boolean {
    const closed = this.#open.pop()
    for (let i = 0; i < (closed?.parts ?? 0); i += 1) this.#write(this.#equation.close())
    return closed === undefined
  }

  text(text: string): void {
    const inside = this.#open.at(-1)?.name ?? ''
    if (inside === 'tex') this.#tex += this.#tex.length < MAX_EQUATION ? text : ''
    else if (!inside.startsWith('annotation')) this.#write(this.#equation.text(text.trim()))
  }

  /** Returns an empty text if the equation cannot be written. */
  result(): string {
    return this.#alttext || this.#tex.trim() || (this.#isKnown ? this.#text.trim() : '')
  }

  #write(text: string): void {
    if (this.#text.length < MAX_EQUATION) this.#text += text
  }
}
