import type { Token, Tokens } from 'marked'
import type { ParsedSegment } from './bounded-lexer.ts'
import { decodeEntities, escapeText, isBlank } from './escape.ts'

/** A piece of an answer: mrkdwn (code is split differently from prose), or a table, which has no mrkdwn form. */
type Piece = TextPiece | { kind: 'table'; table: Tokens.Table }

export interface TextPiece {
  kind: 'text' | 'code'
  text: string
}

/** A code block in mrkdwn. */
export function fence(code: string): string {
  return `\`\`\`\n${code}\n\`\`\``
}

/** Renders a link, clickable or as text. */
export type RenderLink = (link: { label: string; href: string }) => string

/**
 * Renders Markdown that `marked` parsed as Slack's mrkdwn (https://docs.slack.dev/messaging/formatting-message-text).
 * Everything that is not formatting is escaped, so nothing in it can ping. Images become links, so they are never
 * fetched.
 */
export function toMrkdwn(segments: ParsedSegment[], link: RenderLink): Piece[] {
  const pieces: Piece[] = []
  for (const { tokens, after } of segments) {
    const [first, ...rest] = blocks(tokens, link)
    const last = pieces.at(-1)
    if (first === undefined) continue
    // Joins a block that was lexed in two segments into one piece again.
    if (after === 'row' && last?.kind === 'table' && first.kind === 'table') last.table.rows.push(...first.table.rows)
    else if (after !== 'block' && last?.kind === 'text' && first.kind === 'text')
      last.text += (after === 'line' ? '\n' : '') + first.text
    else pieces.push(first)
    pieces.push(...rest)
  }
  return pieces
}

function blocks(tokens: Token[], link: RenderLink): Piece[] {
  return tokens.flatMap((token) => block(token, link)).filter((piece) => piece.kind === 'table' || !isBlank(piece.text))
}

/** Renders one block. Code is always a piece of its own, because Slack has no fences in quotes or list items. */
function block(token: Token, link: RenderLink): Piece[] {
  switch (token.type) {
    case 'code':
      return [code((token as Tokens.Code).text)]
    case 'table':
      return [{ kind: 'table', table: token as Tokens.Table }]
    case 'heading':
      return [prose(heading(token as Tokens.Heading, link))]
    case 'blockquote':
      return blocks(token.tokens ?? [], link).map(quoted)
    case 'list':
      return list(token as Tokens.List, link, 0)
    case 'hr':
      return [prose('———')]
    case 'space':
    case 'def':
      return []
    default:
      return [prose(token.type === 'html' ? html(token.raw).trimEnd() : inlineOf(token, link))]
  }
}

function prose(text: string): TextPiece {
  return { kind: 'text', text }
}

export function code(text: string): TextPiece {
  return { kind: 'code', text: escapeText(text.replaceAll('```', 'ˋˋˋ')) }
}

/** The whole heading is bold, so bold parts in it are not marked a second time. */
function heading({ tokens }: Tokens.Heading, link: RenderLink): string {
  const text = inline(
    tokens.flatMap((token) => (token.type === 'strong' ? (token.tokens ?? []) : [token])),
    link,
  )
  return isBlank(text) ? '' : marked(text, '*')
}

function quoted(piece: Piece): Piece {
  return piece.kind === 'text' ? prose(piece.text.replace(/^/gm, '> ')) : piece
}

function html(raw: string): string {
  return escapeText(decodeEntities(raw.replace(/<br\s*\/?>/gi, '\n')))
}

function inlineOf(token: Token, link: RenderLink): string {
  if ('tokens' in token && token.tokens) return inline(token.tokens, link)
  return escapeText(decodeEntities('text' in token ? token.text : token.raw))
}

function inline(tokens: Token[], link: RenderLink): string {
  return tokens
    .map((token, i) => edged(token, { before: tokens[i - 1]?.raw, after: tokens[i + 1]?.raw, link }))
    .join('')
}

const MARKS: Record<string, string> = { strong: '*', em: '_', del: '~' }

/**
 * Slack recognizes marks only at the edge of a word. Between two words (`2*3*4` is a product) they stay as they were
 * written. Next to one (`**O**bjectives`, `**重要：**この操作`), a zero-width space makes the edge.
 */
function edged(
  token: Token,
  around: { before: string | undefined; after: string | undefined; link: RenderLink },
): string {
  const { before = '', after = '', link } = around
  const mark = MARKS[token.type]
  if (mark === undefined && token.type !== 'codespan') return span(token, link)
  if (mark && isProduct(token, before, after)) return escapeText(decodeEntities(token.raw))
  const left = /[^\0-\x7f\s]$/.test(before) || (mark && /\w$/.test(before)) ? ZERO_WIDTH_SPACE : ''
  const right = /^[^\0-\x7f\s]/.test(after) || (mark && /^\w/.test(after)) ? ZERO_WIDTH_SPACE : ''
  return `${left}${mark ? marked(inlineOf(token, link), mark) : span(token, link)}${right}`
}

/** Returns whether marks are signs of a product or a power: `2*3*4`, `2**n**3`, but not `un**believ**able`. */
function isProduct({ type, raw }: Token, before: string, after: string): boolean {
  const isBesideNumber = /\d$/.test(before) || /^\d/.test(after)
  const isOperand = /^[*~_]+[\w.+\-*/() ]{1,20}[*~_]+$/.test(raw)
  if (type !== 'em') return isOperand && (isBesideNumber || (/(?<!\w)\w$/.test(before) && /^\w/.test(after)))
  return (isBesideNumber && /^\W?[\0-\x7f]/.test(raw.slice(1))) || (/\w$/.test(before) && /^\w/.test(after))
}

const ZERO_WIDTH_SPACE = '\u200b'

/** Marks each line by itself, because Slack's marks end with the line. */
function marked(text: string, mark: string): string {
  return text.replace(/[^\s].*/g, (line) => `${mark}${line.trimEnd()}${mark}`)
}

function span(token: Token, link: RenderLink): string {
  switch (token.type) {
    case 'codespan':
      return `\`${escapeText((token as Tokens.Codespan).text.replaceAll('`', 'ˋ'))}\``
    case 'link':
      return link({ label: wordsOf(token.tokens ?? []), href: decodeEntities(token.href) })
    case 'image':
      return link({ label: token.text || 'image', href: decodeEntities(token.href) })
    case 'br':
      return '\n'
    case 'html':
      return html(token.raw)
    default:
      return inlineOf(token, link)
  }
}

function list(token: Tokens.List, link: RenderLink, depth: number): Piece[] {
  const start = typeof token.start === 'number' ? token.start : 1
  const pieces: Piece[] = []
  for (const [i, item] of token.items.entries()) {
    const bullet = token.ordered ? `${start + i}.` : depth % 2 === 0 ? '•' : '◦'
    const mark = item.task ? (item.checked ? '☑' : '☐') : bullet
    for (const piece of listItem(item, link, depth, mark)) append(pieces, piece)
  }
  return pieces
}

/** Joins the lines of list items without blank lines; only code separates them. */
function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1)
  if (last?.kind === 'text' && piece.kind === 'text') last.text += `\n${piece.text}`
  else pieces.push({ ...piece })
}

function listItem(item: Tokens.ListItem, link: RenderLink, depth: number, mark: string): Piece[] {
  const indent = '    '.repeat(depth)
  const pieces: Piece[] = []
  for (const token of item.tokens) {
    if (token.type === 'checkbox') continue
    if (token.type === 'list') pieces.push(...list(token as Tokens.List, link, depth + 1))
    else pieces.push(...blocks([token], link).map((piece) => indented(piece, `${indent}   `)))
  }
  const [first, ...rest] = pieces
  if (
    first?.kind !== 'text' ||
    item.tokens.find(({ type }) => type !== 'checkbox' && type !== 'space')?.type === 'list'
  )
    return [prose(`${indent}${mark}`), ...pieces]
  return [prose(`${indent}${mark} ${first.text.trimStart()}`), ...rest]
}

function indented(piece: Piece, indent: string): Piece {
  return piece.kind === 'text' ? prose(piece.text.replace(/^/gm, indent)) : piece
}

/** The text of parsed Markdown without its marks, for places without formatting. Not escaped. */
function wordsOf(tokens: Token[]): string {
  return tokens.map(wordsOfOne).join('').replace(/\s+/g, ' ')
}

function wordsOfOne(token: Token): string {
  if (token.type === 'br' || /^<br\b/i.test(token.raw)) return ' '
  return 'tokens' in token && token.tokens ? wordsOf(token.tokens) : tokenText(token)
}

function tokenText(token: Token): string {
  const text: string = 'text' in token ? token.text : token.raw
  return token.type === 'codespan' ? text : decodeEntities(text)
}

/** A table for a code block: columns are aligned up to a width, and links are written out because none works there. */
export function monospaceTable(token: Tokens.Table, maxWidth = MAX_WIDTH): string {
  const rows = [token.header, ...token.rows].map((row) =>
    row.map(({ tokens }) => tokens.map(cellWords).join('').trim()),
  )
  const widths = token.header.map((_, column) =>
    Math.min(
      maxWidth,
      rows.reduce((max, row) => Math.max(max, lengthOf(row[column])), 0),
    ),
  )
  const line = (row: string[]) =>
    row.map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - lengthOf(cell)))).join(' | ')
  const rule = widths.map((width) => '-'.repeat(width)).join('-|-')
  return [line(rows[0] ?? []), rule, ...rows.slice(1).map(line)].map((text) => text.trimEnd()).join('\n')
}

/** A part of a table's cell: plain words, or a link as mrkdwn. */
export interface CellPart {
  words: string
  isLink: boolean
}

export function cellParts(tokens: Token[], link: RenderLink): CellPart[] {
  return tokens.flatMap((token): CellPart[] => {
    if (token.type === 'link' || token.type === 'image') return [{ words: span(token, link), isLink: true }]
    if ('tokens' in token && token.tokens) return cellParts(token.tokens, link)
    return [{ words: wordsOfOne(token), isLink: false }]
  })
}

/** Wider cells stick out: padding all rows to their width would multiply the table's size. */
const MAX_WIDTH = 60

function cellWords(token: Token): string {
  const words = wordsOf([token])
  return token.type === 'link' && words !== token.href ? `${words} (${decodeEntities(token.href)})` : words
}

function lengthOf(cell = ''): number {
  return [...cell].length
}
