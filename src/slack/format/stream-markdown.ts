/**
 * Makes the Markdown of a growing answer safe for a streamed message. It returns parts whose meaning later text cannot
 * change. No part pings, and only allowed links open. An unfinished mark waits, so that no two parts split `<!channel>`
 * or a link.
 */
import { withEdges } from './emphasis-edges.ts'
import { decodeEntities, withoutLinks } from './escape.ts'
import { renderLink, type LinkPolicy } from './links.ts'

/** A part that is ready to be sent: as the model wrote it, as Slack gets it, and the position before it. */
interface StreamPart extends StreamPosition {
  written: string
  markdown: string
}

/** The state of the parser at a position, derived from the text above it. */
interface StreamPosition {
  /** The first line of the open code block, with its language: ```` ```js ````. Empty if none is open. */
  readonly fence: string
  readonly isLineStart: boolean
  /**
   * There are unpaired backticks above, so Slack may disagree about what is code below them. One or two backticks count
   * until the end of the paragraph.
   */
  readonly isUnclear: 'paragraph' | 'always' | undefined
  readonly endsInCode: boolean
}

/** A mark that is still unfinished after this many characters is sent as it is. */
const MAX_HELD = 600
/** White space longer than this does not wait for the text after it. */
const MAX_BLANK = 2000

export class StreamMarkdown {
  readonly #policy: LinkPolicy
  readonly #forPeople: (text: string) => string
  #rest = ''
  /** The state after the text that was taken. */
  #at: StreamPosition = { fence: '', isLineStart: true, isUnclear: undefined, endsInCode: false }

  /** `forPeople` replaces ids with names. */
  constructor(policy: LinkPolicy, forPeople: (text: string) => string) {
    this.#policy = policy
    this.#forPeople = forPeople
  }

  /** The first line of the code block that is open after the taken text; empty if none is. */
  get fence(): string {
    return this.#at.fence
  }

  push(text: string): void {
    this.#rest += text
  }

  /** Takes the part of the pushed text that is ready, or everything with `all`. White space at its end waits. */
  take(all = false): StreamPart {
    let written = ''
    let markdown = ''
    const before = this.#at
    while (this.#rest !== '') {
      const end = this.#rest.indexOf('\n') + 1
      const line = this.#forPeople(end > 0 ? this.#rest.slice(0, end) : this.#rest)
      const ready = end > 0 || all ? line : line.slice(0, this.#ready(line))
      if (ready === '') break
      this.#rest = end > 0 ? this.#rest.slice(end) : line.slice(ready.length)
      written += ready
      const safe = this.#safe(ready, end > 0 || all)
      markdown += this.#at.endsInCode && safe.startsWith('`') ? ` ${safe}` : safe
      this.#update({ endsInCode: safe.endsWith('`') })
    }
    const isBlank = written.length > MAX_BLANK && written.trim() === ''
    const kept = isBlank ? written : written.trimEnd()
    this.#rest = written.slice(kept.length) + this.#rest
    if (kept !== written) this.#update({ isLineStart: false })
    return { written: kept, markdown: isBlank ? markdown : markdown.trimEnd(), ...before }
  }

  /** Puts back the last part because it was not sent. */
  putBack({ written, markdown: _, ...before }: StreamPart): void {
    this.#rest = written + this.#rest
    this.#at = before
  }

  /** Returns the Markdown of `rest`, which is the text after everything that was taken. */
  finish(rest: string): string {
    this.#rest = rest
    return this.take(true).markdown
  }

  /**
   * Returns how many characters of an unfinished line are ready: up to the end of the last whole word outside open
   * marks.
   */
  #ready(line: string): number {
    const { fence, isLineStart } = this.#at

    if (isLineStart && /^\s*(?:`|$)/.test(line)) return line.length > MAX_HELD ? line.length : 0
    if (fence !== '') return wordEnd(line)
    // Not even a complete mark is cut.
    const whole = line.replace(TOKENS, letters).replace(PAIRED, letters)
    const open = openMark(line, whole)
    const max = open >= 0 && line.length - open < MAX_HELD ? open : line.length
    return wordEnd(whole.slice(0, max))
  }

  #safe(line: string, isWhole: boolean): string {
    const { fence, isLineStart, isUnclear } = this.#at
    const mark = isLineStart && isWhole ? (FENCE.exec(line)?.[1] ?? '') : ''
    this.#update({ isLineStart: line.endsWith('\n') })
    const closes = fence !== '' && /^`{3,}$/.test(mark) && mark.length >= (/^`+/.exec(fence)?.[0].length ?? 3)
    if (mark !== '' && (fence === '' || closes)) {
      this.#update({ fence: closes ? '' : mark })
      return line
    }
    // Neither the end of an already sent line nor the white space at the beginning of one is an empty line.
    const isParagraphEnd = isLineStart && isWhole && line.trim() === ''
    if (isParagraphEnd && isUnclear === 'paragraph') this.#update({ isUnclear: undefined })
    if (fence !== '' && !this.#at.isUnclear) return harmlessCode(line)
    const lone = fence === '' ? /`+/.exec(line.replace(TOKENS, ''))?.[0] : undefined
    if (lone !== undefined && isUnclear !== 'always')
      this.#update({ isUnclear: lone.length < 3 ? 'paragraph' : 'always' })
    const isProse = fence === '' && this.#at.isUnclear === undefined
    const edged = isProse ? withEdges(line, line.replace(TOKENS, letters), isLineStart) : line
    return safeLine(edged, this.#policy, this.#at.isUnclear === undefined)
  }

  #update(changes: Partial<StreamPosition>): void {
    this.#at = { ...this.#at, ...changes }
  }
}

const FENCE = /^ {0,3}(`{3,}[\w+#.-]{0,30})\s*$/

/** Inline code; a link or an image; Slack's own form of a link; an address in angle brackets; a bare address. */
const TOKENS =
  /(?<code>(?<!`)(?<ticks>`{1,3})(?!`)[^`\n]{1,1000}\k<ticks>(?!`))|!?\[(?<label>[^\][\n]{0,500})\]\(\s{0,3}<?(?<href>[^\s<>()]{1,2000}(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,300})?)>?(?:\s{1,3}["'(][^\n"')]{0,200}["')])?\s{0,3}\)|<(?<target>https?:\/\/[^\s<>|]{1,2000})\|(?<words>[^<>|\n]{1,300})>|<(?<angle>[a-z][a-z\d+.-]{1,20}:[^\s<>]{1,2000})>|(?<bare>\bhttps?:\/\/[^\s<>"'`|*\u3000-\u3004\u3008-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]{1,2000})/giu

/** Returns the end of the last whole word. In scripts without spaces each character is a word. */
function wordEnd(line: string): number {
  let end = line.length
  while (end > 0 && !WORD_END.test(line.charAt(end - 1))) end--
  return end
}

const WORD_END = /[ \t\u3001-\u30ff\u3400-\u9fff\uff01-\uff5e]/

/**
 * Returns the start of the first unfinished mark; -1 if there is none. `whole`: the line with whole ones as letters.
 */
function openMark(line: string, whole: string): number {
  const open = whole.replace(/\[[^\][\n]{0,500}\](?=[^([:])/g, letters).search(OPEN)
  const slack = line.search(/<https?:\/\/[^\s<>|]{0,2000}(?:\|[^<>|\n]{0,300})?$/)
  return slack >= 0 && (open < 0 || slack < open) ? slack : open
}

/** A mark that may have its end later. */
const OPEN = /[`[]|(?<![*~\\])(?:\*{1,2}|~~)(?=[^\s*~])/

/** Bold, struck and slanted text that has its end. */
const PAIRED = /(?<![*~\\])(\*\*|~~|\*)(?![\s*~])[^*~\n]{1,400}?(?<![\s*~])\1(?![*~])/g

function letters(token: string): string {
  return 'x'.repeat(token.length)
}

/** `isClear`: text that looks like code is code to Slack too. */
function safeLine(line: string, policy: LinkPolicy, isClear: boolean): string {
  const parts: string[] = []
  let from = 0
  for (const match of line.matchAll(TOKENS)) {
    const { code, words, label = words ?? '', target, href = target, angle, bare } = match.groups ?? {}
    const address = href ?? angle ?? /^[^]*?(?=[.,;:!?…)\]]*$)/.exec(bare ?? '')?.[0] ?? ''
    parts.push(plain(line.slice(from, match.index), policy))
    from = match.index + (bare === undefined ? match[0].length : address.length)
    if (code === undefined) parts.push(link(label, address, policy))
    else parts.push(isClear ? harmlessCode(code) : withoutLinks(code))
  }
  return harmless([...parts, plain(line.slice(from), policy)].reduce(joined, ''))
}

/** Keeps two code spans apart: side by side they would merge. */
function joined(before: string, part: string): string {
  return before + (before.endsWith('`') && part.startsWith('`') ? ' ' : '') + part
}

/** The link of `renderLink`, as Markdown instead of mrkdwn. */
function link(label: string, href: string, policy: LinkPolicy): string {
  const [...parts] = renderLink({ label, href }, policy).split(/(<[^<>\n]+>)/)
  return parts.map((part, i) => (i % 2 === 1 ? markdownLink(part.slice(1, -1)) : withoutLinks(part))).join('')
}

function markdownLink(inner: string): string {
  const [address = '', label] = inner.split('|', 2)
  const target = address.replaceAll('&amp;', '&').replaceAll('(', '%28').replaceAll(')', '%29')
  return label === undefined ? `<${target}>` : `[${label}](${target})`
}

/** Text in which only allowed host names can become links. */
function plain(text: string, policy: LinkPolicy): string {
  return text
    .replace(/&(?!amp;|[lg]t;)[a-z][a-z\d]{1,7};/gi, decodeEntities)
    .split(/(\s+)/)
    .map((word) => (mayOpen(word, policy) ? word : withoutLinks(word)))
    .join('')
}

const HOST = /^[("'*_]{0,3}([a-z\d-]{1,60}(?:\.[a-z\d-]{1,60}){1,3})[.,;:!?)"'*_…]{0,4}$/i

function mayOpen(word: string, policy: LinkPolicy): boolean {
  const [, host] = HOST.exec(word) ?? []
  return host !== undefined && URL.canParse(`https://${host}`) && policy(new URL(`https://${host}`))
}

/** Slack's control sequences begin with `<`. */
function harmless(text: string): string {
  return text.replace(/<(?=[!@#])/g, '<\u200b')
}

/** Even in code, Slack may turn an address in angle brackets or after square brackets into a link. */
function harmlessCode(text: string): string {
  return text.replace(/<(?=[!@#]|[a-z][a-z\d+.-]{0,20}:)|\](?=[(:]\s{0,9}<?[a-z][a-z\d+.-]{0,20}:)/gi, '$&\u200b')
}
