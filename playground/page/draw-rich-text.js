/** Draws the text of Slack's editor: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block. */
import { el, link } from './dom.js'
import { emojiSign } from './emoji.js'
import { formatted } from './times.js'

/** The maximum indent of a list. */
const MAX_INDENT = 8

/** @param {{ elements: object[] }} block @param {{ names: object }} context @returns {Node} */
export function richText(block, context) {
  return el('div.block.rich', {}, ...(block.elements ?? []).map((one) => part(one, context)))
}

const PARTS = { rich_text_section: 'p', rich_text_quote: 'blockquote', rich_text_preformatted: 'pre' }

function part(one, context) {
  if (one.type === 'rich_text_list') return list(one, context)
  if (!PARTS[one.type]) return el('p.quiet', {}, `(rich text of type ${one.type})`)
  return el(PARTS[one.type], {}, ...inlines(one, context))
}

function list({ style, indent = 0, offset = 0, elements = [] }, context) {
  const items = elements.map((item) => el('li', {}, ...inlines(item, context)))
  const depth = `.indent-${Math.min(Number(indent) || 0, MAX_INDENT)}`
  if (style !== 'ordered') return el(`ul${depth}`, {}, ...items)
  return el(`ol${depth}`, { start: offset > 0 && offset + 1 }, ...items)
}

const inlines = ({ elements = [] }, context) => elements.map((one) => styled(inline(one, context), one.style))

function inline(one, { names }) {
  const make = INLINES[one.type]
  return make ? make(one, names) : `(${one.type})`
}

const mention = (words) => el('span.mention', {}, words)

const INLINES = {
  text: (one) => one.text ?? '',
  link: (one) => link(one.url, one.text || one.url),
  user: (one, names) => mention(`@${names.user(one.user_id)}`),
  usergroup: (one) => mention(`@${one.usergroup_id}`),
  team: (one) => mention(`@${one.team_id}`),
  channel: (one, names) => mention(`#${names.channel(one.channel_id)}`),
  broadcast: (one) => mention(`@${one.range}`),
  date: (one) => el('time', { title: one.fallback }, formatted(one.timestamp, one.format)),
  emoji: (one) => emojiSign(one.skin_tone ? `${one.name}::skin-tone-${one.skin_tone}` : one.name),
  color,
}

/** Draws a colour: its value with a patch of it. */
function color(one) {
  const patch = el('span.patch', { 'aria-hidden': 'true' })
  patch.style.background = one.value
  return el('span', {}, patch, one.value)
}

const TAGS = {
  bold: 'strong',
  italic: 'em',
  strike: 's',
  underline: 'u',
  highlight: 'mark',
  client_highlight: 'mark',
  code: 'code',
}

function styled(node, style = {}) {
  return Object.entries(TAGS).reduce((inner, [name, tag]) => (style[name] ? el(tag, {}, inner) : inner), node)
}
