/**
 * Writes a page again without its scripts, styles, forms and most attributes, in a size that a DOM can hold. Reads the
 * facts beside the text: title, date, and whether the page is a login or an application.
 */
import { Parser } from 'htmlparser2'
import { escapeHtml } from '../../base/http/html-page.ts'
import { words } from './html-tags.ts'
import { PageEquations } from './math-text.ts'

const DROPPED = words('script style svg iframe object embed canvas template noscript title select button textarea')
const VOID = words('area base br col hr img input link meta source track wbr')
const UNWRITTEN = words('html head body form label input link meta base source')
/** Elements around a page's own words. */
const BESIDE = words('a form label button nav header footer select option textarea')
const ROOTS = words('root app __next __nuxt svelte app-root ember-application react-root main-app q-app gatsby')
const KEPT = words('class id href colspan rowspan alt itemprop role rel datetime hidden aria-hidden style')
const MAX = {
  depth: 100,
  open: 500,
  elements: 30_000,
  chars: 1_500_000,
  attribute: 500,
  data: 200_000,
  noscript: 500,
  buttons: 1000,
}
const CHUNK = 64 * 1024

/** The facts of a page, whatever it says. */
export interface PageFacts {
  title: string
  published: string
  hasPassword: boolean
  /** A field for a name or an address, without which nobody can log in. */
  hasUser: boolean
  scripts: number
  /** An element has the id that applications fill by script. */
  hasRoot: boolean
  noscript: string
  /** The words on buttons and links. */
  buttons: string
  /** The number of characters that stand outside forms, buttons, links and navigation. */
  plainChars: number
  /** The page says that only subscribers may read all of it. */
  isPaid: boolean
}

/** `html` is undefined if the page is too large or nested too deeply for a DOM. */
interface PagePieces extends PageFacts {
  html: string | undefined
}

export function pagePieces(html: string, address: string): PagePieces {
  const page = new Pieces(address)
  const parser = new Parser({
    onopentag: (name, attributes) => page.open(name, attributes),
    onclosetag: (name) => page.close(name),
    ontext: (text) => page.text(text),
  })
  for (let at = 0; at < html.length && !page.isTooLarge; at += CHUNK) parser.write(html.slice(at, at + CHUNK))
  if (!page.isTooLarge) parser.end()
  return page.result()
}

class Pieces {
  readonly #address: string
  readonly #out: string[] = []
  /** The open elements: whether each is written, and whether all in it is dropped. */
  readonly #open: { name: string; isWritten: boolean; isDropped: boolean }[] = []
  #chars = 0
  #elements = 0
  #dropped = 0
  #beside = 0
  #isLinkedData = false
  readonly #equations = new PageEquations((written) => {
    if (this.#dropped === 0) this.#write(escapeHtml(` ${written || '[equation]'} `))
  })
  #data = ''
  #timed = ''
  #facts: PageFacts = {
    ...{ title: '', published: '', noscript: '', buttons: '', scripts: 0, plainChars: 0 },
    ...{ hasPassword: false, hasUser: false, hasRoot: false, isPaid: false },
  }

  constructor(address: string) {
    this.#address = address
  }

  get isTooLarge(): boolean {
    const open = this.#open.length + this.#equations.depth
    return this.#elements > MAX.elements || this.#chars > MAX.chars || open > MAX.open
  }

  open(name: string, attributes: Record<string, string>): void {
    this.#elements += 1
    if (this.#equations.open(name, attributes)) return
    this.#note(name, attributes)
    const isDropped = DROPPED.has(name) || isHidden(name, attributes)
    if (isDropped && !VOID.has(name)) this.#dropped += 1
    if (BESIDE.has(name)) this.#beside += 1
    const isWritten = this.#dropped === 0 && this.#open.length < MAX.depth && !UNWRITTEN.has(name)
    if (isWritten) this.#write(`<${name}${this.#attributes(attributes)}>`)
    if (!VOID.has(name)) this.#open.push({ name, isWritten, isDropped })
  }

  close(name: string): void {
    if (this.#equations.close(name)) return
    if (VOID.has(name)) return
    if (name === 'script') this.#isLinkedData = false
    const closed = this.#open.pop()
    if (closed?.isDropped) this.#dropped -= 1
    if (closed && BESIDE.has(closed.name)) this.#beside -= 1
    if (closed?.isWritten) this.#write(`</${name}>`)
  }

  text(text: string): void {
    if (this.#equations.text(text)) return
    const inside = this.#open.at(-1)?.name
    if (inside === 'title' && this.#facts.title.length < MAX.attribute) this.#facts.title += text
    if (inside === 'noscript' && this.#facts.noscript.length < MAX.noscript) this.#facts.noscript += text
    if (this.#isLinkedData && this.#data.length < MAX.data) this.#data += text
    if ((inside === 'button' || inside === 'a') && this.#facts.buttons.length < MAX.buttons)
      this.#facts.buttons += ` ${text.trim()}`
    if (this.#dropped > 0) return
    if (this.#beside === 0) this.#facts.plainChars += text.trim().length
    this.#write(escapeHtml(text))
  }

  result(): PagePieces {
    const { title, published, isPaid, ...facts } = this.#facts
    const [, dated = ''] = /"datePublished"\s*:\s*"([^"]{4,40})"/.exec(this.#data) ?? []
    const paid = isPaid || /"isAccessibleForFree"\s*:\s*"?false/i.test(this.#data)
    const head = `<title>${escapeHtml(title.trim().slice(0, MAX.attribute))}</title>`
    return {
      ...facts,
      title: title.replace(/\s+/g, ' ').trim().slice(0, MAX.attribute),
      published: (published || dated || this.#timed).trim().slice(0, 40),
      isPaid: paid,
      html: this.isTooLarge
        ? undefined
        : `<!doctype html><html><head>${head}</head><body>${this.#out.join('')}</body></html>`,
    }
  }

  #note(name: string, attributes: Record<string, string>): void {
    const facts = this.#facts
    if (name === 'script') {
      facts.scripts += 1
      this.#isLinkedData = /^application\/ld\+json/i.test(attributes.type ?? '')
    }
    if (name === 'input') this.#noteField(attributes)
    if (ROOTS.has(attributes.id ?? '')) facts.hasRoot = true
    const key = (attributes.property ?? attributes.name ?? attributes.itemprop ?? '').toLowerCase()
    const value = attributes.content ?? attributes.datetime ?? ''
    if (DATES.has(key)) facts.published ||= value
    if (name === 'time' && 'pubdate' in attributes) facts.published ||= value
    if (name === 'time' && this.#open.some((one) => one.name === 'article' || one.name === 'main'))
      this.#timed ||= value
    if (key === 'og:title') facts.title ||= value
    if (key === 'article:content_tier' && /^(?:locked|metered)$/i.test(value)) facts.isPaid = true
  }

  #noteField({ type = 'text', name = '', id = '', value = '' }: Record<string, string>): void {
    const facts = this.#facts
    if (/^password$/i.test(type)) facts.hasPassword = true
    if (/^email$/i.test(type) || /user|e?mail|login|account|identifier/i.test(`${name} ${id}`)) facts.hasUser = true
    if (/^(?:submit|button)$/i.test(type)) facts.buttons += ` ${value.slice(0, 100)}`
  }

  #write(text: string): void {
    this.#chars += text.length
    if (this.#chars <= MAX.chars) this.#out.push(text)
  }

  #attributes(attributes: Record<string, string>): string {
    let text = ''
    for (const [name, value] of Object.entries(attributes)) {
      if (!KEPT.has(name) || value.length > MAX.attribute) continue
      text += ` ${name}="${escapeHtml(name === 'href' ? this.#absolute(value) : value)}"`
    }
    return text
  }

  #absolute(href: string): string {
    const target = href.trim()
    if (target.startsWith('#') || !URL.canParse(target, this.#address)) return target
    return new URL(target, this.#address).href
  }
}

/** Returns whether an element is hidden. `html` and `body` never count as hidden, because a script may show them. */
function isHidden(name: string, { hidden, style = '' }: Record<string, string>): boolean {
  if (name === 'html' || name === 'body') return false
  return (hidden !== undefined && hidden !== 'until-found') || HIDING.test(style.slice(0, MAX.attribute))
}

const HIDING = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|em|%)?\s*(?:;|!|$))/i
const DATES = words(
  'article:published_time og:published_time article:published datepublished date dc.date dc.date.issued dc.date.created ' +
    'dcterms.created dcterms.issued publishdate publish-date pubdate parsely-pub-date sailthru.date citation_date ' +
    'citation_publication_date',
)
