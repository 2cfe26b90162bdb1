/** Reads a canvas, which Slack gives as HTML in Quip's form: a list's kind stands around it, and people are ids. */
import { SectionWriter } from '../section-writer.ts'
import { decodeText } from '../text-decoding.ts'
import type { ParsedFile } from '../types.ts'
import { readHtml, type PageTags } from './html-lines.ts'
import type { Attributes } from './html-tags.ts'
import { PageLines } from './page-lines.ts'
import type { ToParse } from './parser.ts'

/** Values of `data-section-style`. Bullets are 5. */
const NUMBERED = '6'
const CHECKLIST = '7'
/** Slack adds it to the name of a picture. */
const PLACEHOLDER = /_SLACK_FILE_ALT_PLACEHOLDER_\w*$/
const INVISIBLE = /[\u200b\ufeff]/g

export function parseCanvas({ bytes, encoding, limits }: ToParse): ParsedFile {
  const page = new PageLines(new SectionWriter(limits.maxChars))
  readHtml(decodeText(bytes, encoding), new CanvasTags(page))
  return page.file('canvas')
}

interface OpenTag {
  /** The tag's name for the page; empty if the page does not get it. */
  as: string
  /** The kind of the list around it. */
  list: string | undefined
  /** Whether it is in a `control`: a mention, an emoji, a date or an embedded file. */
  inControl: boolean
}

/** Turns the tags of a canvas into those of other pages. */
class CanvasTags implements PageTags {
  readonly writer: SectionWriter
  readonly #page: PageLines
  #open: OpenTag[] = []
  /** Whether the open control shows nothing yet. */
  #isEmptyControl = false

  constructor(page: PageLines) {
    this.#page = page
    this.writer = page.writer
  }

  open(name: string, attributes: Attributes): void {
    const outer = this.#open.at(-1)
    const list = attributes['data-section-style'] ?? outer?.list
    const as = nameOf(name, attributes, list)
    this.#open.push({ as, list, inControl: name === 'control' || outer?.inControl === true })
    this.#isEmptyControl = name === 'control'
    const { alt, ...others } = attributes
    if (as !== '') this.#page.open(as, alt === undefined ? others : { ...others, alt: alt.replace(PLACEHOLDER, '') })
    if (name === 'li' && list === CHECKLIST) this.#page.text(/\bchecked\b/.test(attributes.class ?? '') ? '☒ ' : '☐ ')
  }

  close(name: string): void {
    const tag = this.#open.pop()
    if (name === 'control' && this.#isEmptyControl) this.#page.unread('embedded part')
    this.#isEmptyControl = false
    if (tag && tag.as !== '') this.#page.close(tag.as)
  }

  text(text: string): void {
    const words = text.replace(INVISIBLE, '')
    if (words !== '') this.#isEmptyControl = false
    // In Slack's own form, so that it gets a name.
    const isMention = this.#open.at(-1)?.inControl && /^\s*[@#][UWCG][A-Z0-9]{5,20}\s*$/.test(words)
    this.#page.text(isMention ? `<${words.trim()}>` : words)
  }

  closeAll(): void {
    this.#open = []
    this.#page.closeAll()
  }

  endLine(): void {
    this.#page.endLine()
  }
}

function nameOf(name: string, attributes: Attributes, list: string | undefined): string {
  if (name === 'lnk') return 'a'
  if (name === 'ul' && list === NUMBERED) return 'ol'
  if (name === 'p' && /\bprettyprint\b/.test(attributes.class ?? '')) return 'pre'
  // An emoji's name follows its picture.
  return name === 'control' || (name === 'img' && 'data-is-slack' in attributes) ? '' : name
}
