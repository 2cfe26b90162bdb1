/**
 * Markdown as Slack's markdown block shows it: `marked` reads it, from its package by the page's server; it is drawn
 * here.
 */
import { el, link } from './dom.js'
import { emoji } from './emoji.js'
import { Lexer, Tokenizer } from 'marked'
import { unescape } from './mrkdwn.js'

/** Slack's limit of a message. The details of a task may be longer: the rest is drawn as text. */
const MAX_CHARS = 12_000
/**
 * The ninth mark of lists and quotes in a line that is no rule. What no person writes, as this and what follows, stays
 * as it was written.
 */
const NINTH = /^(?!([-*])(?:[ \t]*\1)*[ \t]*$)([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*){8})(?=[-*+>\d])/gm
/** A sign without width is no mark, and is not seen. */
const UNSEEN = '\u200b'
/** Matches it in code, which a person may copy. */
const IN_CODE = new RegExp(`${UNSEEN}(?=[-*+>\\d])`, 'g')
/** The maximum number of marks in a paragraph. */
const MAX_MARKS = 1000
/** The maximum number of cells in a table: as many as `MAX_CHARS` can hold. */
const MAX_CELLS = MAX_CHARS / 2

/**
 * `marked` takes quadratic time for a paragraph of marks and a line of list marks, and overflows the stack for
 * thousands of quotes in one another. The bot bounds it for answers of any length; this is enough for what Slack takes.
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

/** HTML is text in Slack, and what stands in it is Markdown. */
class SlackTokenizer extends Tokenizer {
  html() {}

  tag() {}

  /** `2*3*4` is a product, though CommonMark has emphasis there. */
  emStrong(source, ...rest) {
    const token = super.emStrong(source, ...rest)
    return token?.type === 'em' && /\w/.test(source.charAt(token.raw.length)) ? undefined : token
  }

  /**
   * Every row is filled up to the columns of the head: one wide head over many short rows would be millions of cells.
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

/** How tokens are drawn. All others, such as texts, are drawn as their words. */
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
  /** The page has its own headings; those of a message stand in its outline as plain strong lines. */
  heading: (token) => [el('p.heading', {}, el('strong', {}, ...words(token)))],
  code: ({ text }) => [el('pre', {}, el('code', {}, text.replace(IN_CODE, '')))],
  codespan: ({ text }) => [el('code', {}, text)],
  checkbox: ({ checked }) => [checked ? '☑ ' : '☐ '],
  link: ({ href, text, autolink, tokens }) => {
    const node = link(unescape(href), ...(autolink || text.trim() === '' ? [text.trim() || href] : draw(tokens)))
    // In a link there is no other.
    for (const inner of node.querySelectorAll('a')) inner.replaceWith(...inner.childNodes)
    return [node]
  },
  /** No picture is loaded: it is a link to where it stands. */
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
