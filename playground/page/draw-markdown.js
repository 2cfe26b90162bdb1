/**
 * Draws Markdown like Slack's markdown block. It is parsed by `marked`, which the page's server provides from its
 * package.
 */
import { el, link } from './dom.js'
import { emoji } from './emoji.js'
import { Lexer, Tokenizer } from 'marked'
import { unescape } from './mrkdwn.js'

/** Slack's limit of a message. The details of a task can be longer; the rest is drawn as text. */
const MAX_CHARS = 12_000
/**
 * Matches the ninth list or quote mark in a line that is no rule. People do not write that many, so the rest of the
 * line stays as it is.
 */
const NINTH = /^(?!([-*])(?:[ \t]*\1)*[ \t]*$)([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*){8})(?=[-*+>\d])/gm
/** A character without width, which keeps a mark from being parsed. */
const UNSEEN = '\u200b'
/** Matches the character in code, where people may copy it. */
const IN_CODE = new RegExp(`${UNSEEN}(?=[-*+>\\d])`, 'g')
/** The maximum number of marks in a paragraph. */
const MAX_MARKS = 1000
/** The maximum number of cells in a table: as many as `MAX_CHARS` can hold. */
const MAX_CELLS = MAX_CHARS / 2

/**
 * Bounds `marked`, which takes quadratic time for a paragraph of marks or a line of list marks, and overflows the stack
 * for thousands of nested quotes. The bot bounds answers of any length itself; this suffices for what Slack accepts.
 */
class SlackLexer extends Lexer {
  lex(source) {
    return super.lex(source.replace(NINTH, `$2${UNSEEN}`))
  }

  inlineTokens(source, tokens = []) {
    const marks = source.match(/[*_~`[\]!<@]/g)?.length ?? 0
    if (marks <= MAX_MARKS) return super.inlineTokens(source, tokens)
    tokens.push({ type: 'text', raw: source, text: source })
    return tokens
  }
}

/** In Slack, HTML is text, and Markdown inside it is still parsed. */
class SlackTokenizer extends Tokenizer {
  html() {}

  tag() {}

  /** Leaves `2*3*4` as it is. CommonMark would read emphasis. */
  emStrong(source, ...rest) {
    const token = super.emStrong(source, ...rest)
    return token?.type === 'em' && /\w/.test(source.charAt(token.raw.length)) ? undefined : token
  }

  /**
   * Limits a table's cells. Every row is filled up to the columns of the head, so one wide head over many short rows
   * would be millions of cells.
   */
  table(source) {
    const [, head = '', , rows = ''] = this.rules.block.table.exec(source) ?? []
    return head.split('|').length * rows.split('\n').length > MAX_CELLS ? undefined : super.table(source)
  }
}

/** @param {string} text @returns {(Node | string)[]} */
export function markdown(text) {
  const lexer = new SlackLexer({ gfm: true, breaks: true, tokenizer: new SlackTokenizer() })
  return [...draw(lexer.lex(text.slice(0, MAX_CHARS))), text.slice(MAX_CHARS)]
}

function draw(tokens) {
  return tokens.flatMap((token) => (DRAWN[token.type] ?? words)(token))
}

const words = ({ text, tokens }) => (tokens ? draw(tokens) : [emoji(unescape(text))])
const within = (tag) => (token) => [el(tag, {}, ...words(token))]

/** Draws tokens by type. Other tokens, such as texts, are drawn as their text. */
const DRAWN = {
  space: () => [],
  def: () => [],
  hr: () => [el('hr')],
  br: () => [el('br')],
  paragraph: within('p'),
  blockquote: within('blockquote'),
  strong: within('strong'),
  em: within('em'),
  del: within('s'),
  /** The headings of a message are not headings of the page, so they are drawn as bold lines. */
  heading: (token) => [el('p.heading', {}, el('strong', {}, ...words(token)))],
  code: ({ text }) => [el('pre', {}, el('code', {}, text.replace(IN_CODE, '')))],
  codespan: ({ text }) => [el('code', {}, text)],
  checkbox: ({ checked }) => [checked ? '☑ ' : '☐ '],
  link: ({ href, text, autolink, tokens }) => {
    const node = link(unescape(href), ...(autolink || text.trim() === '' ? [text.trim() || href] : draw(tokens)))
    // A link cannot contain another link.
    for (const inner of node.querySelectorAll('a')) inner.replaceWith(...inner.childNodes)
    return [node]
  },
  /** Pictures are not loaded. Each becomes a link to its address. */
  image: ({ href, text }) => [link(unescape(href), `🖼 ${text || href}`)],
  list: ({ ordered, start, items }) => {
    const all = items.map((item) => el(item.task ? 'li.todo' : 'li', {}, ...draw(item.tokens)))
    return [el(ordered ? 'ol' : 'ul', ordered && start !== 1 ? { start } : {}, ...all)]
  },
  table: ({ header, rows }) => {
    const head = el('tr', {}, ...header.map((cell) => cellOf(cell, 'th', { scope: 'col' })))
    const body = rows.map((row) => el('tr', {}, ...row.map((cell) => cellOf(cell, 'td'))))
    return [el('div.table', {}, el('table', {}, el('thead', {}, head), el('tbody', {}, ...body)))]
  },
}

function cellOf({ align, tokens }, tag, attributes = {}) {
  return el(align === 'center' || align === 'right' ? `${tag}.${align}` : tag, attributes, ...draw(tokens))
}
