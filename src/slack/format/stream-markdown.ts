/**
 * The Markdown of an answer for a streamed message, which grows: what a model wrote, in parts that nothing that follows can
 * change, and so that no part pings, and no link opens that may not. A mark that is not finished waits: two parts may not
 * split `<!channel>` or a link.
 */
import { withoutLinks } from './escape.ts'
import { renderLink, type LinkPolicy } from './links.ts'

/** A part that is ready to be sent: as the model wrote it, and as Slack gets it. */
export interface StreamPart extends StreamPosition {
  written: string
  markdown: string
}

/** What is known of a place in the text from all that stands above it. */
interface StreamPosition {
  /** The code block that is open there: its first line, with its language: ```` ```js ````. Empty where none is. */
  readonly fence: string
  /** Whether a line begins there. */
  readonly isLineStart: boolean
  /**
   * Backticks without a partner stand above: what is code below them, Slack may see otherwise. One or two of them count up to the
   * paragraph's end.
   */
  readonly isUnclear: 'paragraph' | 'always' | undefined
  /** What was sent ends with code. */
  readonly endsInCode: boolean
}

/** A mark that is not finished after so many characters is taken as it stands. */
const MAX_HELD = 600
/** More white space than this does not wait for what comes after it. */
const MAX_BLANK = 2000

export class StreamMarkdown {
  readonly #policy: LinkPolicy
  readonly #named: (text: string) => string
  #rest = ''
  /** Behind what was taken. */
  #at: StreamPosition = { fence: '', isLineStart: true, isUnclear: undefined, endsInCode: false }

  /** `named`: the text with names in place of ids. */
  constructor(policy: LinkPolicy, named: (text: string) => string = (text) => text) {
    this.#policy = policy
    this.#named = named
  }

  /** The code block that is open behind what was taken: its first line; empty where none is. */
  get fence(): string {
    return this.#at.fence
  }

  push(text: string): void {
    this.#rest += text
  }

  /** What is ready of what was pushed; with `all`, all of it. White space at its end waits. */
  take(all = false): StreamPart {
    let written = ''
    let markdown = ''
    const before = this.#at
    while (this.#rest !== '') {
      const end = this.#rest.indexOf('\n') + 1
      const line = this.#named(end > 0 ? this.#rest.slice(0, end) : this.#rest)
      const ready = end > 0 || all ? line : line.slice(0, this.#ready(line))
      if (ready === '') break
      this.#rest = end > 0 ? this.#rest.slice(end) : line.slice(ready.length)
      written += ready
      const safe = this.#safe(ready, end > 0 || all)
      markdown += this.#at.endsInCode && safe.startsWith('`') ? ` ${safe}` : safe
      this.#know({ endsInCode: safe.endsWith('`') })
    }
    const isBlank = written.length > MAX_BLANK && written.trim() === ''
    const kept = isBlank ? written : written.trimEnd()
    this.#rest = written.slice(kept.length) + this.#rest
    if (kept !== written) this.#know({ isLineStart: false })
    return { written: kept, markdown: isBlank ? markdown : markdown.trimEnd(), ...before }
  }

  /** What was taken last was not sent. */
  putBack({ written, markdown: _, ...before }: StreamPart): void {
    this.#rest = written + this.#rest
    this.#at = before
  }

  /** The rest of the whole text, behind what was taken. */
  finish(rest: string): string {
    this.#rest = rest
    return this.take(true).markdown
  }

  /** How much of a line that still grows is ready: up to the end of a word before which no mark is open. */
  #ready(line: string): number {
    const { fence, isLineStart } = this.#at
    if (isLineStart && /^\s*(?:`|$)/.test(line)) return line.length > MAX_HELD ? line.length : 0
    if (fence !== '') return wordEnd(line)
    const open = openMark(line)
    const most = open >= 0 && line.length - open < MAX_HELD ? open : line.length
    return wordEnd(line.slice(0, most))
  }

  #safe(line: string, isWhole: boolean): string {
    const { fence, isLineStart, isUnclear } = this.#at
    const mark = isLineStart && isWhole ? (FENCE.exec(line)?.[1] ?? '') : ''
    this.#know({ isLineStart: line.endsWith('\n') })
    const closes = fence !== '' && /^`{3,}$/.test(mark) && mark.length >= (/^`+/.exec(fence)?.[0].length ?? 3)
    if (mark !== '' && (fence === '' || closes)) {
      this.#know({ fence: closes ? '' : mark })
      return line
    }
    // Neither the end of a line that was sent before nor the white space at the beginning of one is an empty line.
    const isParagraphEnd = isLineStart && isWhole && line.trim() === ''
    if (isParagraphEnd && isUnclear === 'paragraph') this.#know({ isUnclear: undefined })
    if (fence !== '' && !this.#at.isUnclear) return harmlessCode(line)
    const lone = fence === '' ? /`+/.exec(line.replace(TOKENS, ''))?.[0] : undefined
    if (lone !== undefined && isUnclear !== 'always')
      this.#know({ isUnclear: lone.length < 3 ? 'paragraph' : 'always' })
    return safeLine(line, this.#policy, this.#at.isUnclear === undefined)
  }

  #know(news: Partial<StreamPosition>): void {
    this.#at = { ...this.#at, ...news }
  }
}

const FENCE = /^ {0,3}(`{3,}[\w+#.-]{0,30})\s*$/

/** Code in a line; a link, an image; an address between angles; a bare one. */
const TOKENS =
  /(?<code>(?<!`)(?<ticks>`{1,3})(?!`)[^`\n]{1,1000}\k<ticks>(?!`))|!?\[(?<label>[^\][\n]{0,500})\]\(\s{0,3}<?(?<href>[^\s<>()]{1,2000}(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,300})?)>?(?:\s{1,3}["'(][^\n"')]{0,200}["')])?\s{0,3}\)|<(?<angle>[a-z][a-z\d+.-]{1,20}:[^\s<>]{1,2000})>|(?<bare>\bhttps?:\/\/[^\s<>"'`|*]{1,2000})/giu

/** The end of the last word that is whole. In scripts without spaces each sign is one. */
function wordEnd(line: string): number {
  let end = line.length
  while (end > 0 && !WORD_END.test(line.charAt(end - 1))) end--
  return end
}

const WORD_END = /[ \t\u3001-\u30ff\u3400-\u9fff\uff01-\uff5e]/

/** Where a mark begins that is not finished; -1 where none is. */
function openMark(line: string): number {
  const left = line.replace(TOKENS, (token) => ' '.repeat(token.length))
  return left.replace(/\[[^\][\n]{0,500}\](?=[^([:])/g, (token) => ' '.repeat(token.length)).search(/[`[]/)
}

/** `isClear`: what looks like code is code. */
function safeLine(line: string, policy: LinkPolicy, isClear: boolean): string {
  const parts: string[] = []
  let from = 0
  for (const match of line.matchAll(TOKENS)) {
    const { code, label = '', href, angle, bare } = match.groups ?? {}
    const address = href ?? angle ?? /^[^]*?(?=[.,;:!?…)\]]*$)/.exec(bare ?? '')?.[0] ?? ''
    parts.push(plain(line.slice(from, match.index), policy))
    from = match.index + (bare === undefined ? match[0].length : address.length)
    if (code === undefined) parts.push(link(label, address, policy))
    else parts.push(isClear ? harmlessCode(code) : withoutLinks(code))
  }
  return harmless([...parts, plain(line.slice(from), policy)].reduce(joined, ''))
}

/** Code next to code would be other code. */
function joined(before: string, part: string): string {
  return before + (before.endsWith('`') && part.startsWith('`') ? ' ' : '') + part
}

/** The link that a message shows, in Markdown in place of mrkdwn. */
function link(label: string, href: string, policy: LinkPolicy): string {
  const [...parts] = renderLink({ label, href }, policy).split(/(<[^<>\n]+>)/)
  return parts.map((part, i) => (i % 2 === 1 ? markdownLink(part.slice(1, -1)) : withoutLinks(part))).join('')
}

function markdownLink(inner: string): string {
  const [address = '', label] = inner.split('|', 2)
  const target = address.replaceAll('&amp;', '&').replaceAll('(', '%28').replaceAll(')', '%29')
  return label === undefined ? `<${target}>` : `[${label}](${target})`
}

/** Text in which nothing becomes a link but a name of a host that may be one. */
function plain(text: string, policy: LinkPolicy): string {
  return text
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

/** There Slack may make a link of an address between angles, and of one behind brackets. */
function harmlessCode(text: string): string {
  return text.replace(/<(?=[!@#]|[a-z][a-z\d+.-]{0,20}:)|\](?=[(:]\s{0,9}<?[a-z][a-z\d+.-]{0,20}:)/gi, '$&\u200b')
}
