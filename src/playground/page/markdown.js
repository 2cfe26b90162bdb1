/** Markdown as Slack's markdown block shows it: a plain reading of CommonMark's everyday parts. */
import { el, link } from './dom.js'
import { emoji } from './emoji.js'

const ITEM = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/

/** @param {string} text @returns {Node[]} */
export function markdown(text) {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const nodes = []
  while (lines.length > 0) nodes.push(...block(lines))
  return nodes
}

/** Takes the lines of one block off the front and gives its nodes. */
function block(lines) {
  const first = lines[0]
  if (first.trim() === '') return void lines.shift() || []
  if (/^\s*(```|~~~)/.test(first)) return [fence(lines)]
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(first)
  // The page has its own headings; those of a message stand in its outline as plain strong lines.
  if (heading) return lines.shift() && [el('p.heading', {}, el('strong', {}, ...inlineMarkdown(heading[2])))]
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(first)) return lines.shift() && [el('hr')]
  if (/^\s*>/.test(first))
    return [
      el(
        'blockquote',
        {},
        ...markdown(
          take(lines, (l) => /^\s*>/.test(l))
            .map((l) => l.replace(/^\s*> ?/, ''))
            .join('\n'),
        ),
      ),
    ]
  if (ITEM.test(first)) return [list(lines)]
  if (isTable(lines)) return [table(lines)]
  return [
    el(
      'p',
      {},
      ...paragraph(take(lines, (l) => l.trim() !== '' && !/^\s*(```|~~~|>|#{1,6}\s)/.test(l) && !ITEM.test(l))),
    ),
  ]
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

function list(lines) {
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
  const children = items.map((item) => el('li', {}, ...inlineMarkdown(item[0]), ...markdown(item.slice(1).join('\n'))))
  return el(number ? 'ol' : 'ul', number && number !== '1' ? { start: number } : {}, ...children)
}

function isTable(lines) {
  return lines[0].includes('|') && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[1] ?? '')
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

const INLINE =
  /\\([\\`*_{}[\]()#+.!~|>-])|(`+)(.+?)\2(?!`)|\[([^\]]*)\]\(<?([^\s)>]+)>?(?:\s+"[^"]*")?\)|<(https?:[^>\s]+)>|(\*\*|__)(?=\S)(.+?\S?)\7|~~(?=\S)(.+?)~~|(\*|_)(?=\S)((?:(?!\10).)+?)\10(?!\w)/

function inlineMarkdown(text) {
  const nodes = []
  let rest = text
  for (let token = INLINE.exec(rest); token; token = INLINE.exec(rest)) {
    if (token.index > 0) nodes.push(emoji(rest.slice(0, token.index)))
    nodes.push(inlineToken(token))
    rest = rest.slice(token.index + token[0].length)
  }
  return rest === '' ? nodes : [...nodes, emoji(rest)]
}

function inlineToken([, escaped, , code, label, url, auto, , bold, struck, , italic]) {
  if (escaped !== undefined) return escaped
  if (code !== undefined) return el('code', {}, code.trim())
  if (url !== undefined) return link(url, ...inlineMarkdown(label || url))
  if (auto !== undefined) return link(auto, auto)
  if (bold !== undefined) return el('strong', {}, ...inlineMarkdown(bold))
  if (struck !== undefined) return el('s', {}, ...inlineMarkdown(struck))
  return el('em', {}, ...inlineMarkdown(italic))
}
