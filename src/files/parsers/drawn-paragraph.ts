/** Reads a paragraph of DrawingML (ECMA-376, part 1, 21.1.2): equations, raised and struck words, link targets. */
import { EquationText } from './equation-text.ts'
import { raisedText } from './raised-text.ts'
import type { XmlAttributes } from './xml-walk.ts'

export class DrawnParagraph {
  readonly #links: ReadonlyMap<string, string>
  #text = ''
  #run = ''
  /** In thousandths of a percent of the letters' height. */
  #baseline = 0
  #isStruck = false
  #link = ''
  /** The target of the runs before, which is written behind the last of them. */
  #target = ''
  #equation: EquationText | undefined

  /** `links`: the targets by their ids. */
  constructor(links: ReadonlyMap<string, string>) {
    this.#links = links
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'oMath') this.#equation ??= new EquationText()
    else if (this.#equation) this.#equation.open(name, attributes)
    else if (name === 'r' || name === 'fld') this.#beginRun()
    else if (name === 'rPr') {
      this.#baseline = Number(attributes.baseline ?? 0)
      this.#isStruck = /Strike$/.test(attributes.strike ?? '') && attributes.strike !== 'noStrike'
    } else if (name === 'hlinkClick') this.#link = this.#links.get(attributes.id ?? '') ?? ''
    else if (name === 'br') this.#text += ' '
  }

  text(text: string, inside: string): void {
    if (inside === 't') this.#run += this.#equation?.text(text) ?? text
  }

  close(name: string): void {
    if (name === 'oMath') this.#equation = undefined
    else if (this.#equation) this.#run += this.#equation.close()
    else if (name === 'r' || name === 'fld') this.#endRun()
  }

  /** Returns the words of the paragraph that ends, on one line. */
  take(): string {
    this.#endRun()
    this.#endLink()
    const line = this.#text.replaceAll('~~~~', '').replace(/\s+/g, ' ').trim()
    this.#text = ''
    return line
  }

  #beginRun(): void {
    this.#endRun()
    this.#baseline = 0
    this.#isStruck = false
    this.#link = ''
  }

  #endRun(): void {
    const run = this.#run
    this.#run = ''
    if (run === '') return
    if (this.#link !== this.#target) this.#endLink()
    const words = this.#baseline === 0 ? run : raisedText(run, this.#baseline > 0)
    this.#text += this.#isStruck ? `~~${words}~~` : words
    if (this.#link !== run.trim()) this.#target = this.#link
  }

  #endLink(): void {
    if (this.#target !== '') this.#text += ` (${this.#target})`
    this.#target = ''
  }
}
