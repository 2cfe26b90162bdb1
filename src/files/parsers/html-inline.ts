/** Reads what stands inside a line of HTML differently than its tag says: styles, readings of words, equations. */
import { words, type Attributes } from './html-tags.ts'
import { PageEquations } from './math-text.ts'

interface LineTags {
  open(name: string, attributes?: Attributes): void
  close(name: string): void
  text(text: string): void
}

/** Elements in a line that do not touch the words beside them. */
const APART = words('button output meter progress')
const MAX_STYLE = 500

export class InlineTags {
  readonly #page: LineTags
  /** For each open element, the tags that its style stands for. */
  #styled: string[][] = []
  readonly #equations: PageEquations

  constructor(page: LineTags) {
    this.#page = page
    this.#equations = new PageEquations((written) => {
      page.open('math', written ? { alttext: written } : {})
      page.close('math')
    })
  }

  open(name: string, attributes: Attributes): void {
    if (this.#equations.open(name, attributes)) return
    this.#page.open(name, attributes)
    const tags = tagsOf(name, attributes)
    for (const tag of tags) this.#page.open(tag)
    this.#styled.push(tags)
    if (APART.has(name)) this.#page.text(' ')
    if (name === 'rt') this.#page.text(' (')
  }

  close(name: string): void {
    if (this.#equations.close(name)) return
    if (name === 'rt') this.#page.text(')')
    if (APART.has(name)) this.#page.text(' ')
    for (const tag of this.#styled.pop()?.reverse() ?? []) this.#page.close(tag)
    this.#page.close(name)
  }

  text(text: string): void {
    if (!this.#equations.text(text)) this.#page.text(text.replace(/\u00ad/g, ''))
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
