import type { Token, Tokens } from 'marked'
import { parseMarkdown } from './bounded-lexer.ts'
import { decodeEntities, escapeText, isBlank } from './escape.ts'
import { renderLink, type LinkPolicy } from './links.ts'
import { tableText, wordsOf } from './plain-text.ts'

/** A piece of an answer as mrkdwn; code is split differently from prose. */
export interface Piece {
  kind: 'text' | 'code'
  text: string
}

/**
 * Models write Markdown, Slack reads mrkdwn (https://docs.slack.dev/messaging/formatting-message-text). Parsed by `marked`,
 * rendered here: everything that is not formatting is escaped, so nothing in it can ping; images are never fetched.
 */
export function toMrkdwn(markdown: string, policy: LinkPolicy): Piece[] {
  return blocks(parseMarkdown(markdown), policy)
}

function blocks(tokens: Token[], policy: LinkPolicy): Piece[] {
  return tokens.flatMap((token) => block(token, policy)).filter((piece) => !isBlank(piece.text))
}

/** One block. Code keeps to itself wherever it stands: in a quote or a list item Slack knows no fence. */
function block(token: Token, policy: LinkPolicy): Piece[] {
  switch (token.type) {
    case 'code':
      return [code((token as Tokens.Code).text)]
    case 'table':
      return [code(tableText(token as Tokens.Table))]
    case 'heading':
      return [prose(heading(token as Tokens.Heading, policy))]
    case 'blockquote':
      return blocks(token.tokens ?? [], policy).map(quoted)
    case 'list':
      return list(token as Tokens.List, policy, 0)
    case 'hr':
      return [prose('———')]
    case 'space':
    case 'def':
      return []
    default:
      return [prose(token.type === 'html' ? html(token.raw).trimEnd() : inlineOf(token, policy))]
  }
}

function prose(text: string): Piece {
  return { kind: 'text', text }
}

function code(text: string): Piece {
  return { kind: 'code', text: escapeText(text.replaceAll('```', 'ˋˋˋ')) }
}

/** Bold as a whole, so what is bold in it already is not marked a second time. */
function heading({ tokens }: Tokens.Heading, policy: LinkPolicy): string {
  const text = inline(
    tokens.flatMap((token) => (token.type === 'strong' ? (token.tokens ?? []) : [token])),
    policy,
  )
  return isBlank(text) ? '' : marked(text, '*')
}

function quoted(piece: Piece): Piece {
  return piece.kind === 'code' ? piece : prose(piece.text.replace(/^/gm, '> '))
}

function html(raw: string): string {
  return escapeText(decodeEntities(raw.replace(/<br\s*\/?>/gi, '\n')))
}

function inlineOf(token: Token, policy: LinkPolicy): string {
  if ('tokens' in token && token.tokens) return inline(token.tokens, policy)
  return escapeText(decodeEntities('text' in token ? token.text : token.raw))
}

function inline(tokens: Token[], policy: LinkPolicy): string {
  return tokens
    .map((token, i) => edged(token, { before: tokens[i - 1]?.raw, after: tokens[i + 1]?.raw, policy }))
    .join('')
}

const MARKS: Record<string, string> = { strong: '*', em: '_', del: '~' }

/**
 * Slack marks only at the edge of a word. Inside one (`2*3*4` is a product) the marks stay as they were written; where the
 * neighbour is of a script without spaces between words, a zero-width space makes the edge.
 */
function edged(
  token: Token,
  around: { before: string | undefined; after: string | undefined; policy: LinkPolicy },
): string {
  const { before = '', after = '', policy } = around
  const mark = MARKS[token.type]
  if (mark === undefined && token.type !== 'codespan') return span(token, policy)
  if (mark && (/\w$/.test(before) || /^\w/.test(after))) return escapeText(decodeEntities(token.raw))
  const left = /[^\0-\x7f\s]$/.test(before) ? ZERO_WIDTH_SPACE : ''
  const right = /^[^\0-\x7f\s]/.test(after) ? ZERO_WIDTH_SPACE : ''
  return `${left}${mark ? marked(inlineOf(token, policy), mark) : span(token, policy)}${right}`
}

const ZERO_WIDTH_SPACE = '\u200b'

/** Slack's marks end with the line. */
function marked(text: string, mark: string): string {
  return text.replace(/[^\s].*/g, (line) => `${mark}${line.trimEnd()}${mark}`)
}

function span(token: Token, policy: LinkPolicy): string {
  switch (token.type) {
    case 'codespan':
      return `\`${escapeText((token as Tokens.Codespan).text.replaceAll('`', 'ˋ'))}\``
    case 'link':
      return renderLink({ label: wordsOf(token.tokens ?? []), href: decodeEntities(token.href) }, policy)
    case 'image':
      return renderLink({ label: token.text || 'image', href: decodeEntities(token.href) }, policy)
    case 'br':
      return '\n'
    case 'html':
      return html(token.raw)
    default:
      return inlineOf(token, policy)
  }
}

function list(token: Tokens.List, policy: LinkPolicy, depth: number): Piece[] {
  const start = typeof token.start === 'number' ? token.start : 1
  const pieces: Piece[] = []
  for (const [i, item] of token.items.entries()) {
    const bullet = token.ordered ? `${start + i}.` : depth % 2 === 0 ? '•' : '◦'
    const mark = item.task ? (item.checked ? '☑' : '☐') : bullet
    for (const piece of listItem(item, policy, { depth, mark })) append(pieces, piece)
  }
  return pieces
}

/** An item's lines stand close to each other and to the next item's; only code parts them. */
function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1)
  if (last?.kind === 'text' && piece.kind === 'text') last.text += `\n${piece.text}`
  else pieces.push({ ...piece })
}

function listItem(
  item: Tokens.ListItem,
  policy: LinkPolicy,
  { depth, mark }: { depth: number; mark: string },
): Piece[] {
  const indent = '    '.repeat(depth)
  const pieces: Piece[] = []
  for (const token of item.tokens) {
    if (token.type === 'checkbox') continue
    if (token.type === 'list') pieces.push(...list(token as Tokens.List, policy, depth + 1))
    else pieces.push(...blocks([token], policy).map((piece) => indented(piece, `${indent}   `)))
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
  return piece.kind === 'code' ? piece : prose(piece.text.replace(/^/gm, indent))
}

export function fence(code: string): string {
  return `\`\`\`\n${code}\n\`\`\``
}
