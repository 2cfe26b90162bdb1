import { lexer, type Token, type Tokens } from 'marked'
import { escapeText } from './escape.ts'
import { renderLink, type LinkPolicy } from './links.ts'

/** A top-level piece of an answer as mrkdwn; code is split differently from prose. */
export interface Piece {
  kind: 'text' | 'code'
  text: string
}

/**
 * Models write Markdown, Slack reads mrkdwn (https://docs.slack.dev/messaging/formatting-message-text). Parsed by `marked`,
 * rendered here: everything that is not formatting is escaped, so nothing in it can ping; images are never fetched.
 */
export function toMrkdwn(markdown: string, policy: LinkPolicy): Piece[] {
  return blocks(lexer(markdown, { gfm: true }), policy)
}

function blocks(tokens: Token[], policy: LinkPolicy): Piece[] {
  return tokens.flatMap((token) => {
    const piece = block(token, policy)
    return piece.text.trim() === '' ? [] : [piece]
  })
}

function block(token: Token, policy: LinkPolicy): Piece {
  switch (token.type) {
    case 'code':
      return { kind: 'code', text: escapeText((token as Tokens.Code).text.replaceAll('```', 'ˋˋˋ')) }
    case 'table':
      return { kind: 'code', text: table(token as Tokens.Table) }
    case 'heading':
      return { kind: 'text', text: `*${plain(token.tokens ?? [])}*` }
    case 'blockquote':
      return { kind: 'text', text: quote(joinPieces(blocks(token.tokens ?? [], policy))) }
    case 'list':
      return { kind: 'text', text: list(token as Tokens.List, policy, 0) }
    case 'hr':
      return { kind: 'text', text: '———' }
    case 'space':
    case 'def':
      return { kind: 'text', text: '' }
    default:
      return { kind: 'text', text: token.type === 'html' ? escapeText(token.raw).trimEnd() : inlineOf(token, policy) }
  }
}

function inlineOf(token: Token, policy: LinkPolicy): string {
  return 'tokens' in token && token.tokens ? inline(token.tokens, policy) : escapeText('text' in token ? token.text : token.raw)
}

function inline(tokens: Token[], policy: LinkPolicy): string {
  return tokens.map((token, i) => (isInsideWord(tokens, i) ? escapeText(token.raw) : span(token, policy))).join('')
}

/** `2*3*4` is a product: Slack has no emphasis inside a word, so its marks are kept as they were written. */
function isInsideWord(tokens: Token[], i: number): boolean {
  const token = tokens[i]!
  if (token.type !== 'em' && token.type !== 'strong') return false
  return /\w$/.test(tokens[i - 1]?.raw ?? '') || /^\w/.test(tokens[i + 1]?.raw ?? '')
}

function span(token: Token, policy: LinkPolicy): string {
  switch (token.type) {
    case 'strong':
      return `*${inline(token.tokens ?? [], policy)}*`
    case 'em':
      return `_${inline(token.tokens ?? [], policy)}_`
    case 'del':
      return `~${inline(token.tokens ?? [], policy)}~`
    case 'codespan':
      return `\`${escapeText((token as Tokens.Codespan).text.replaceAll('`', 'ˋ'))}\``
    case 'link':
      return renderLink(inline(token.tokens ?? [], policy), unentity(token.href), policy)
    case 'image':
      return renderLink(escapeText(`${token.text || 'image'}`), unentity(token.href), policy)
    case 'br':
      return '\n'
    default:
      return inlineOf(token, policy)
  }
}

function unentity(href: string): string {
  return href.replaceAll('&amp;', '&')
}

/** The text alone, for places that take no formatting inside their own. */
function plain(tokens: Token[]): string {
  return tokens.map((t) => ('tokens' in t && t.tokens ? plain(t.tokens) : escapeText('text' in t ? t.text : t.raw))).join('')
}

function list(token: Tokens.List, policy: LinkPolicy, depth: number): string {
  const start = typeof token.start === 'number' ? token.start : 1
  return token.items
    .map((item, i) => {
      const mark = item.task ? (item.checked ? '☑' : '☐') : token.ordered ? `${start + i}.` : depth % 2 === 0 ? '•' : '◦'
      return `${'    '.repeat(depth)}${mark} ${listItem(item, policy, depth)}`
    })
    .join('\n')
}

function listItem(item: Tokens.ListItem, policy: LinkPolicy, depth: number): string {
  const parts = item.tokens.filter((token) => token.type !== 'checkbox').map((token) => {
    if (token.type === 'list') return list(token as Tokens.List, policy, depth + 1)
    return joinPieces([block(token, policy)]).replaceAll('\n', `\n${'    '.repeat(depth)}   `)
  })
  return parts.filter((part) => part.trim() !== '').join('\n')
}

/** A table has no mrkdwn form: its columns are aligned in a code block. */
function table(token: Tokens.Table): string {
  const rows = [token.header, ...token.rows].map((row) => row.map((cell) => cell.text.replaceAll('`', '')))
  const widths = token.header.map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? '')].length)))
  const line = (row: string[]) => row.map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - [...cell].length))).join(' | ')
  const rule = widths.map((width) => '-'.repeat(width)).join('-|-')
  return escapeText([line(rows[0] ?? []), rule, ...rows.slice(1).map(line)].map((text) => text.trimEnd()).join('\n'))
}

function quote(text: string): string {
  return text.replace(/^/gm, '> ')
}

/** Pieces as one mrkdwn text. */
export function joinPieces(pieces: Piece[]): string {
  return pieces.map((piece) => (piece.kind === 'code' ? fence(piece.text) : piece.text)).join('\n\n')
}

export function fence(code: string): string {
  return `\`\`\`\n${code}\n\`\`\``
}
