import { Lexer, Tokenizer, type Token, type Tokens, type TokensList } from 'marked'
import { UNSPACED } from './emphasis-edges.ts'
import { segmentsOf, type Segment } from './markdown-segments.ts'

/** Longer texts are lexed in segments. UTF-16 units. */
const WHOLE_CHARS = 6000
/** Deeper lists and quotes, and paragraphs with more marks, stay plain text. Nobody writes such text. */
const MAX_DEPTH = 8
const MAX_MARKS = 300
/** Longer addresses are lexed in pieces. */
const MAX_ADDRESS = 2000
/** How far to search for the end of bold or italics from each mark that may begin them. */
const MAX_EMPHASIS = 400

/**
 * `marked` takes quadratic time for thousands of unclosed marks in a paragraph, exponential time for quotes within
 * quotes, and overflows the stack for thousands of them. A model may write any of it, so this lexer bounds each. Text
 * beyond a bound is shown as it was written.
 */
class BoundedLexer extends Lexer {
  #depth = 0

  constructor(links: Tokens.Def[], tokenizer = new BoundedTokenizer()) {
    super({ gfm: true, tokenizer })
    const { rules } = tokenizer
    tokenizer.rules = { ...rules, block: { ...rules.block, paragraph: PARAGRAPH } }
    for (const { tag, href, title } of links) this.tokens.links[tag] = { href, title }
  }

  override blockTokens(...args: Parameters<Lexer['blockTokens']>): Token[]
  override blockTokens(...args: Parameters<Lexer['blockTokens']>): TokensList
  override blockTokens(...args: Parameters<Lexer['blockTokens']>): Token[] {
    const [source, tokens = []] = args
    if (this.#depth >= MAX_DEPTH) return asText(source, tokens)
    this.#depth += 1
    const out = super.blockTokens(...args)
    this.#depth -= 1
    return out
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    const marks = source.match(/[*_~`[\]!<@]/g)?.length ?? 0
    return marks > MAX_MARKS ? asText(source, tokens) : super.inlineTokens(source, tokens)
  }
}

/** Limits the rules that look ahead over the whole rest of a text, or read it again, to their own part of it. */
class BoundedTokenizer extends Tokenizer {
  /** Lines with `>`, and the paragraph lines that continue without one, which `marked` reads again at every level. */
  override blockquote(source: string): Tokens.Blockquote | undefined {
    QUOTE.lastIndex = 0
    const raw = QUOTE.exec(source)?.[0]
    if (raw === undefined) return undefined
    const text = raw.replace(/^ {0,3}> ?/gm, '')
    const { top } = this.lexer.state
    this.lexer.state.top = true
    const tokens = this.lexer.blockTokens(text, [])
    this.lexer.state.top = top
    return { type: 'blockquote', raw, text, tokens }
  }

  /** A heading only at the top level: in a list item, every line would search for `---` to the end of the text. */
  override lheading(source: string): Tokens.Heading | undefined {
    return this.lexer.state.top ? super.lheading(source) : undefined
  }

  /** `marked` pads every row to the number of columns, so a wide head over many short rows would be quadratic. */
  override table(source: string): Tokens.Table | undefined {
    const [, rule = ''] = source.split('\n', 2)
    if (!/^[ |:-]+$/.test(rule)) return undefined
    const end = source.search(/\n[ \t]*\n/)
    const body = (end < 0 ? source : source.slice(0, end)).replace(
      LINK_IN_CELL,
      (found, before?: string, label = '') => (before === undefined ? found : `${before}${LINK_BAR}${label}`),
    )
    const lines = body.split('\n')
    const columns = columnsOf(rule)
    if (columns !== columnsOf(lines[0] ?? '') || columns * lines.length > Math.max(100, body.length)) return undefined
    return super.table(body + source.slice(body.length))
  }

  override emStrong(source: string, masked: string, previous = ''): Tokens.Em | Tokens.Strong | undefined {
    const at = masked.length - source.length
    const near = masked.slice(Math.max(0, at - 50), at + MAX_EMPHASIS)
    const part = masked.slice(at, at + MAX_EMPHASIS)
    const pair = STRONG.exec(part) ?? BOTH.exec(part) ?? emBeside(masked, at)
    if (pair) return this.#paired(pair[1] === '**' ? 'strong' : 'em', source, pair)
    return super.emStrong(source.slice(0, MAX_EMPHASIS), near, previous)
  }

  override del(source: string, masked: string, previous = ''): Tokens.Del | undefined {
    const at = masked.length - source.length
    const pair = DEL.exec(masked.slice(at, at + MAX_EMPHASIS))
    return pair ? this.#paired('del', source, pair) : super.del(source, masked, previous)
  }

  #paired<Type extends 'strong' | 'em' | 'del'>(type: Type, source: string, [found, mark = '']: RegExpExecArray) {
    const raw = source.slice(0, found.length)
    const text = raw.slice(mark.length, -mark.length)
    return { type, raw, text, tokens: this.lexer.inlineTokens(text) }
  }

  /** Slack's own form of a link, `<https://…|label>`, which models know from messages. */
  override autolink(source: string): Tokens.Link | undefined {
    const [raw, href = '', label = ''] = SLACK_LINK.exec(source) ?? []
    if (raw === undefined) return super.autolink(source)
    const text = label || href
    return { type: 'link', raw, href, text, tokens: [{ type: 'text', raw: text, text }] }
  }

  override url(source: string): Tokens.Link | undefined {
    // Punctuation of scripts without spaces follows an address directly.
    return super.url(
      source
        .slice(0, MAX_ADDRESS)
        .replace(/[\u3000-\u3004\u3008-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65][^]*$/, ''),
    )
  }
}

/**
 * Marks around text without such marks. CommonMark decides by the characters on both sides of a mark, and so takes the
 * words between two bold parts for bold in scripts that put no space around punctuation.
 */
const STRONG = /^(\*\*)(?![\s*])(?:[^*\n]|\*(?!\*)){0,400}?(?<![\s*])\*\*(?!\*)/
/** Bold and slanted: the inner marks are read as those of bold text. */
const BOTH = /^(\*)\*\*(?![\s*])[^*\n]{1,400}?(?<![\s*])\*{3}(?!\*)/
const DEL = /^(~~)(?![\s~])[^~\n]{0,400}?(?<![\s~])~~(?!~)/
const EM = /^(\*)(?![\s*])[^*\n]{1,400}?(?<![\s*])\*(?!\*)/
/** Stands for the bar of a link in a table, which would end its cell. */
const LINK_BAR = '\u001f'
const LINK_IN_CELL = /`[^`\n]{0,500}`|(<https?:\/\/[^\s<>|]{1,2000})\|([^<>|\n]{1,300}>)/g
const SLACK_LINK = /^<(https?:\/\/[^\s<>|\u001f]{1,2000}|mailto:[^\s<>|]{1,300})[|\u001f]([^<>\n]{0,300})>/

/** Returns italics that stand beside a character of such a script. */
function emBeside(masked: string, at: number): RegExpExecArray | undefined {
  const pair = EM.exec(masked.slice(at, at + MAX_EMPHASIS))
  if (!pair) return undefined
  const end = at + pair[0].length
  const around = [masked[at - 1], masked[at + 1], masked[end - 2], masked[end]].join('')
  return UNSPACED.test(around) ? pair : undefined
}

function columnsOf(row: string): number {
  return row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/).length
}

/**
 * The paragraph rule of `marked`, which ends a paragraph before a table. This version checks only the head of the
 * table; `marked` checks all its rows at every line.
 */
const PARAGRAPH = ((rules) => {
  const table = rules.table.source.slice(1)
  const head = table.slice(0, table.indexOf('(?:\\n((?:'))
  return new RegExp(rules.paragraph.source.replace(table, () => `${head}(?:\\n|$)`))
})(Lexer.rules.block.gfm)

/** A line that continues a paragraph: it is not blank and does not begin another block. */
const LAZY =
  '(?![ \\t]*(?:\\n|$)| {0,3}(?:[>#|<]|`{3}|~{3}|[-*+_=]{3}|[-*+][ \\t]|\\d{1,9}[.)][ \\t])| {4}|\\t)[^\\n]+(?:\\n|$)'
const QUOTE = new RegExp(
  `^(?: {0,3}>[^\\n]*(?:\\n|$))+(?:(?<=^ {0,3}> ?[\\p{L}\\p{N}"'(*_][^\\n]*\\n)(?:${LAZY})+)?`,
  'muy',
)

function asText(source: string, tokens: Token[]): Token[] {
  tokens.push({ type: 'text', raw: source, text: source })
  return tokens
}

export interface ParsedSegment extends Segment {
  tokens: Token[]
}

/** Parses any GitHub-flavoured Markdown in linear time. Returns the tokens of each segment. */
export function parseMarkdown(markdown: string): ParsedSegment[] {
  const source = markdown.replace(/\r\n?/g, '\n').replace(NESTED, '$1\\')
  const links = definitions(source)
  const isLong = source.length > WHOLE_CHARS
  const segments: Segment[] = isLong ? segmentsOf(source) : [{ markdown: source, after: 'block' }]
  return segments.map((segment) => ({ ...segment, tokens: new BoundedLexer(links).lex(segment.markdown) }))
}

/** `MAX_DEPTH` marks of quotes and list items at the beginning of a line. One more mark is text. */
const NESTED = new RegExp(`^([ \\t]*(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+|>[ \\t]*){${MAX_DEPTH}})(?=[-*+>])`, 'gm')

const MAX_DEFINITIONS = 100

/**
 * Finds link definitions: `[1]: https://…` names an address for the whole text, across segments. The first one of a
 * name counts. A target that is not a web address must stand alone or before a title: `[Note]: see above` and `[^1]: A
 * footnote.` are text.
 */
function definitions(source: string): Tokens.Def[] {
  const found = new Map<string, Tokens.Def>()
  for (const [raw, name = '', href = ''] of source.matchAll(
    /^ {0,3}\[([^\][\n\\]{1,100})\]: *<?(https?:[^\s<>]{1,2000}|[^\s<>]{1,2000}(?=>?(?:$| +(?:$|["'(]))))/gm,
  )) {
    const tag = name.trim().replace(/\s+/g, ' ').toLowerCase()
    if (!found.has(tag)) found.set(tag, { type: 'def', tag, raw, href, title: '' })
    if (found.size >= MAX_DEFINITIONS) break
  }
  return [...found.values()]
}
