/** Reads what stands inside a line of HTML differently than its tag says: styles, readings of words, equations. */
import { EquationText } from './equation-text.ts'
import { words, type Attributes } from './html-tags.ts'

interface LineTags {
  open(name: string, attributes?: Attributes): void
  close(name: string): void
  text(text: string): void
}

/** Elements in a line that do not touch the words beside them. */
const APART = words('button output meter progress')
const MAX_STYLE = 500
const MAX_EQUATION = 2000

export class InlineTags {
  readonly #page: LineTags
  /** For each open element, the tags that its style stands for. */
  #styled: string[][] = []
  #math: MathText | undefined

  constructor(page: LineTags) {
    this.#page = page
  }

  open(name: string, attributes: Attributes): void {
    if (this.#math) return this.#math.open(name, attributes)
    if (name === 'math') {
      this.#math = new MathText(attributes)
      return
    }
    this.#page.open(name, attributes)
    const tags = tagsOf(name, attributes)
    for (const tag of tags) this.#page.open(tag)
    this.#styled.push(tags)
    if (APART.has(name)) this.#page.text(' ')
    if (name === 'rt') this.#page.text(' (')
  }

  close(name: string): void {
    if (this.#math) return this.#math.close() ? this.#endMath() : undefined
    if (name === 'math') return
    if (name === 'rt') this.#page.text(')')
    if (APART.has(name)) this.#page.text(' ')
    for (const tag of this.#styled.pop()?.reverse() ?? []) this.#page.close(tag)
    this.#page.close(name)
  }

  text(text: string): void {
    if (this.#math) this.#math.text(text)
    else this.#page.text(text.replace(/\u00ad/g, ''))
  }

  #endMath(): void {
    const written = this.#math?.result()
    this.#math = undefined
    this.#page.open('math', written ? { alttext: written } : {})
    this.#page.close('math')
  }
}

const INLINE = words('span a b i em strong small big font u code var q cite abbr mark ins label')

/** The tags that mean the same as an element's style. */
function tagsOf(name: string, { style = '' }: Attributes): string[] {
  if (style === '' || !INLINE.has(name)) return []
  const [, raised] = /vertical-align\s*:\s*(sup|sub)/i.exec(style.slice(0, MAX_STYLE)) ?? []
  const isStruck = /text-decoration(?:-line)?\s*:[^;]{0,40}line-through/i.test(style.slice(0, MAX_STYLE))
  return [...(isStruck ? ['del'] : []), ...(raised ? [raised.toLowerCase()] : [])]
}

/** What each child of an element is, in order. */
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
export class MathText {
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
