/** Writes an equation (ECMA-376, part 1, 22.1) on one line: `(a+b)/(2)`, `x^(2)`, `∑_(i=1)^(n) i`. */
import type { XmlAttributes } from './xml-walk.ts'

/** An open element. `prefix` is written before its first text, and `suffix` behind it if there was any. */
interface Frame {
  name: string
  prefix: string
  suffix: string
  isWritten: boolean
  /** The parts of it so far. */
  parts: number
  /** The characters that its properties name. */
  signs: XmlAttributes
}

const AROUND = new Map([
  ['num', ['(', ')/']],
  ['den', ['(', ')']],
  ['sup', ['^(', ')']],
  ['sub', ['_(', ')']],
  ['deg', ['^(', ')']],
  ['fName', ['', ' ']],
  ['m', ['[', ']']],
])
/** What separates the parts of an element, by its name. */
const BETWEEN = new Map([
  ['m', '; '],
  ['mr', ', '],
  ['eqArr', '; '],
])
const PARTS = new Set(['e', 'mr', 'sub', 'sup', 'lim'])

export class EquationText {
  readonly #open: Frame[] = []

  open(name: string, attributes: XmlAttributes): void {
    const parent = this.#open.at(-1)
    if (name.endsWith('Chr') || name === 'chr') {
      const owner = this.#open.at(-2)
      if (owner) owner.signs[name] = attributes.val ?? ''
    }
    const [prefix = '', suffix = ''] = AROUND.get(name) ?? []
    const frame = { name, prefix, suffix, isWritten: false, parts: 0, signs: {} }
    if (parent && PARTS.has(name)) this.#asPart(frame, parent)
    this.#open.push(frame)
  }

  /** Returns the text with what stands before it. */
  text(text: string): string {
    let before = ''
    for (const frame of text === '' ? [] : this.#open) {
      if (!frame.isWritten) before += frame.prefix
      frame.isWritten = true
    }
    return before + text
  }

  close(): string {
    const frame = this.#open.pop()
    if (!frame?.isWritten) return ''
    const { name, signs } = frame
    if (name === 'd') return signs.endChr ?? ')'
    if (name === 'acc') return signs.chr ?? '\u0302'
    return name === 'bar' ? '\u0305' : frame.suffix
  }

  #asPart(frame: Frame, parent: Frame): void {
    const { name, signs } = parent
    if (name === 'rad' && frame.name === 'e') [frame.prefix, frame.suffix] = ['√(', ')']
    if (name === 'limLow' && frame.name === 'lim') [frame.prefix, frame.suffix] = ['_(', ')']
    if (name === 'limUpp' && frame.name === 'lim') [frame.prefix, frame.suffix] = ['^(', ')']
    if (name === 'nary') {
      if (frame.name === 'e') frame.prefix = ' '
      if (parent.prefix === '') parent.prefix = signs.chr || '∫'
    }
    if (name === 'd') frame.prefix = parent.isWritten ? (signs.sepChr ?? '|') : (signs.begChr ?? '(')
    if (parent.parts > 0 && BETWEEN.has(name)) frame.prefix = BETWEEN.get(name) ?? ''
    parent.parts += 1
  }
}
