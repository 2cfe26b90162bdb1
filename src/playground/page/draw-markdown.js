/** Markdown as Slack's markdown block shows it: a plain reading of CommonMark's everyday parts. */
import { el, link } from './dom.js'
import { emoji } from './emoji.js'
import { linked } from './mrkdwn.js'

const FENCE = /^(?:```|~~~)/
const HEADING = /^#{1,6}\s+(\S.*)$/
const ITEM = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/

/** Quotes and lists in one another are taken apart so deep and no deeper. */
const MOST_DEPTH = 8

/** @param {string} text @returns {Node[]} */
export function markdown(text, depth = 0) {
  if (depth > MOST_DEPTH) return [text]
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const nodes = []
  while (lines.length > 0) nodes.push(...block(lines, depth))
  return nodes
}

/** Takes the lines of one block off the front and gives its nodes. */
function block(lines, depth) {
  const first = lines[0].trim()
  if (first === '') return void lines.shift() || []
  if (FENCE.test(first)) return [fence(lines)]
  if (HEADING.test(first)) return [heading(lines.shift().trim())]
  if (/^([-*_])( ?\1){2,}$/.test(first)) return void lines.shift() || [el('hr')]
  if (first.startsWith('>')) return [quote(lines, depth)]
  if (ITEM.test(lines[0])) return [list(lines, depth)]
  if (isTable(lines)) return [table(lines)]
  return [el('p', {}, ...paragraph(take(lines, goesOn)))]
}

/** Whether a line belongs to the paragraph before it. */
function goesOn(line) {
  const text = line.trim()
  return text !== '' && !text.startsWith('>') && !FENCE.test(text) && !HEADING.test(text) && !ITEM.test(line)
}

/** The page has its own headings; those of a message stand in its outline as plain strong lines. */
function heading(line) {
  const [, text] = HEADING.exec(line)
  return el('p.heading', {}, el('strong', {}, ...inlineMarkdown(text.replace(/#{1,6}$/, '').trimEnd())))
}

function quote(lines, depth) {
  const inside = take(lines, (line) => line.trim().startsWith('>')).map((line) => line.trim().replace(/^> ?/, ''))
  return el('blockquote', {}, ...markdown(inside.join('\n'), depth + 1))
}

function take(lines, fits) {
  const taken = [lines.shift()]
  while (lines.length > 0 && fits(lines[0])) taken.push(lines.shift())
  return taken
}

function fence(lines) {
  const mark = /^\s*(```|~~~)/.exec(lines.shift())[1]
  const code = []
  while (lines.length > 0 && !lines[0].trim().startsWith(mark)) code.push(lines.shift())
  lines.shift()
  return el('pre', {}, el('code', {}, code.join('\n')))
}

function list(lines, depth) {
  const [, indent, number] = ITEM.exec(lines[0])
  const items = []
  while (lines.length > 0) {
    const item = ITEM.exec(lines[0])
    if (item && item[1].length <= indent.length && Boolean(item[2]) === Boolean(number)) {
      lines.shift()
      items.push([item[3]])
    } else if (lines[0].trim() !== '' && /^\s/.test(lines[0]) && items.length > 0)
      items.at(-1).push(lines.shift().slice(indent.length + 2))
    else if (lines[0].trim() === '' && lines[1] !== undefined && ITEM.test(lines[1])) lines.shift()
    else break
  }
  const children = items.map((item) =>
    el('li', {}, ...inlineMarkdown(item[0]), ...markdown(item.slice(1).join('\n'), depth + 1)),
  )
  return el(number ? 'ol' : 'ul', number && number !== '1' ? { start: number } : {}, ...children)
}

function isTable(lines) {
  return lines[0].includes('|') && /^\|? ?:?-+:? ?(\| ?:?-+:? ?)*\|?$/.test((lines[1] ?? '').trim().replace(/ +/g, ' '))
}

function table(lines) {
  const cells = (line) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim())
  const [head, , ...body] = take(lines, (line) => line.includes('|'))
  const row = (line, tag) =>
    el('tr', {}, ...cells(line).map((cell) => el(tag, tag === 'th' ? { scope: 'col' } : {}, ...inlineMarkdown(cell))))
  return el(
    'div.table',
    {},
    el('table', {}, el('thead', {}, row(head, 'th')), el('tbody', {}, ...body.map((line) => row(line, 'td')))),
  )
}

function paragraph(lines) {
  return lines.flatMap((line, index) => [...(index > 0 ? [el('br')] : []), ...inlineMarkdown(line.trim())])
}

/** No part of it can look far for an end that is not there: what a model writes must not make the page slow. */
const INLINE =
  /\\([\\`*_{}[\]()#+.!~|>-])|(`{1,6})([^`]{1,2000}?)\2(?!`)|\[([^[\]]{0,500})\]\(<?([^\s)<>]{1,2000})>?(?:\s"[^"]{0,300}")?\)|<(https?:[^<>\s]{1,2000})>|(\*\*|__)(?=\S)(.{1,3000}?)\7|~~(?=\S)(.{1,3000}?)~~|(\*|_)(?=\S)((?:(?!\10).){1,3000})\10(?!\w)/

function inlineMarkdown(text, words = linked) {
  const nodes = []
  let rest = text
  for (let token = INLINE.exec(rest); token; token = INLINE.exec(rest)) {
    if (token.index > 0) nodes.push(...words(rest.slice(0, token.index)))
    nodes.push(inlineToken(token, words))
    rest = rest.slice(token.index + token[0].length)
  }
  return [...nodes, ...words(rest)]
}

/** In a link there is no other. */
const unlinked = (text) => [emoji(text)]

function inlineToken([, escaped, , code, label, url, auto, , bold, struck, , italic], words) {
  if (escaped !== undefined) return escaped
  if (code !== undefined) return el('code', {}, code.trim())
  if (url !== undefined) return link(url, ...inlineMarkdown(label || url, unlinked))
  if (auto !== undefined) return link(auto, auto)
  if (bold !== undefined) return el('strong', {}, ...inlineMarkdown(bold, words))
  if (struck !== undefined) return el('s', {}, ...inlineMarkdown(struck, words))
  return el('em', {}, ...inlineMarkdown(italic, words))
}
