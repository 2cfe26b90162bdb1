/** Draws Slack's mrkdwn: https://docs.slack.dev/messaging/formatting-message-text. */
import { el, link } from './dom.js'
import { emoji } from './emoji.js'
import { formatted } from './times.js'

/** Inline marks and their elements. */
const MARKS = { '*': 'strong', _: 'em', '~': 's' }

/**
 * Turns mrkdwn into nodes: code blocks, quotes and lines, then the inline content.
 * @param {string} text
 * @param {{ user(id: string): string, channel(id: string): string }} names
 * @returns {Node[]}
 */
export function mrkdwn(text, names) {
  const nodes = []
  for (const [index, part] of text.split(/```/).entries()) {
    // Every second part is a code block.
    if (index % 2 === 1) nodes.push(el('pre', {}, el('code', {}, unescape(part.replace(/^\n|\n$/g, '')))))
    else nodes.push(...quotes(index > 0 ? part.replace(/^\n/, '') : part, names))
  }
  return nodes
}

function quotes(text, names) {
  const nodes = []
  for (const block of text.split(/((?:^(?:>|&gt;)[^\n]*(?:\n|$))+)/m)) {
    if (block === '') continue
    if (!/^(?:>|&gt;)/.test(block)) nodes.push(...lines(block, names))
    else nodes.push(el('blockquote', {}, ...lines(block.replace(/^(?:>|&gt;) ?/gm, '').replace(/\n$/, ''), names)))
  }
  return nodes
}

function lines(text, names) {
  return text.split('\n').flatMap((line, index) => [...(index > 0 ? [el('br')] : []), ...inline(line, names)])
}

/**
 * Matches code, a reference in angle brackets, or a pair of marks around words. The marks have no space inside and no
 * word characters outside.
 */
const TOKEN =
  /`([^`]{1,3000})`|<([^<>]{1,3000})>|(?<![\w*~])([*_~])(?!\s)((?:(?!\3)[^`<]|`[^`]{1,3000}`|<[^<>]{1,3000}>){1,3000})(?<!\s)\3(?![\w*~])/

/** Draws the content of a line. Code, links and mentions come first, because marks inside them are literal. */
export function inline(text, names) {
  const nodes = []
  let rest = text
  while (rest !== '') {
    const token = TOKEN.exec(rest)
    if (!token) break
    nodes.push(...plain(rest.slice(0, token.index)))
    if (token[1] !== undefined) nodes.push(el('code', {}, unescape(token[1])))
    else if (token[2] !== undefined) nodes.push(reference(token[2], names))
    else nodes.push(el(MARKS[token[3]], {}, ...inline(token[4], names)))
    rest = rest.slice(token.index + token[0].length)
  }
  return [...nodes, ...plain(rest)]
}

/** Draws a reference: `<@U1>`, `<#C1|general>`, `<!here>`, `<https://…|label>`. */
function reference(text, names) {
  const [target, label] = text.split('|')
  if (target.startsWith('@')) return el('span.mention', {}, `@${names.user(target.slice(1))}`)
  if (target.startsWith('#')) return el('span.mention', {}, `#${label || names.channel(target.slice(1))}`)
  if (target.startsWith('!date^')) return dateOf(target, label)
  if (target.startsWith('!')) return el('span.mention', {}, `@${label || target.slice(1).split('^')[0]}`)
  return link(unescape(target), unescape(label || target))
}

/** Draws a date: `<!date^1392734382^{date} at {time}^https://…|fallback>`. */
function dateOf(target, fallback) {
  const [, seconds, format, url] = target.split('^')
  const words = /^\d{1,12}$/.test(seconds) ? formatted(seconds, format) : (fallback ?? '')
  return url ? link(url, words) : el('time', { title: fallback }, words)
}

function plain(text) {
  return linked(unescape(text))
}

/** Returns the text of a plain_text object. `&amp;` is a character, as in mrkdwn, and the object may turn emoji off. */
export function plainWords(text) {
  const words = unescape(text?.text ?? '')
  return text?.emoji === false ? words : emoji(words)
}

/** Matches an address without the punctuation at the end of a sentence. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"]{1,2000}(?<![.,;:!?'")\]*_~])/g

/** Turns addresses into links and names of emoji into emoji. @returns {(Node | string)[]} */
export function linked(text) {
  const nodes = []
  let at = 0
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    nodes.push(emoji(text.slice(at, index)), link(address, address))
    at = index + address.length
  }
  return [...nodes, emoji(text.slice(at))].filter((one) => one !== '')
}

export function unescape(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
