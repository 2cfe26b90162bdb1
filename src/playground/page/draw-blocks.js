/** Block Kit, as far as bots of this kind use it: https://docs.slack.dev/reference/block-kit/blocks. */
import { el, link } from './dom.js'
import { emoji, emojiSign } from './emoji.js'
import { markdown } from './draw-markdown.js'
import { mrkdwn } from './mrkdwn.js'

/**
 * @param {Record<string, any>[]} blocks
 * @param {{ names: object, press(action: { action_id: string, value?: string }): void }} context
 */
export function renderBlocks(blocks, context) {
  return blocks.map((block) => (RENDERERS[block.type] ?? unknown)(block, context))
}

const RENDERERS = {
  section: (block, context) =>
    el(
      'div.block.section',
      {},
      el(
        'div.section-text',
        {},
        ...(block.text ? textObject(block.text, context) : []),
        ...(block.fields ? [fields(block.fields, context)] : []),
      ),
      block.accessory && element(block.accessory, context),
    ),
  context: (block, context) =>
    el(
      'div.block.context',
      {},
      ...block.elements.map((one) => (one.type === 'image' ? image(one) : el('span', {}, ...textObject(one, context)))),
    ),
  header: (block) => el('p.block.header', {}, emoji(block.text.text)),
  divider: () => el('hr.block'),
  markdown: (block) => el('div.block.markdown', {}, ...markdown(block.text)),
  actions: (block, context) => el('div.block.actions', {}, ...block.elements.map((one) => element(one, context))),
  context_actions: (block, context) =>
    el('div.block.actions', {}, ...block.elements.map((one) => element(one, context))),
  image: (block) => el('div.block', {}, image(block)),
  rich_text: (block, context) => el('div.block.rich', {}, ...block.elements.map((one) => rich(one, context))),
  table: (block, context) =>
    el(
      'div.block.table',
      {},
      el(
        'table',
        {},
        el('tbody', {}, ...block.rows.map((row) => el('tr', {}, ...row.map((cell) => tableCell(cell, context))))),
      ),
    ),
  task_card: (block, context) => task(block, context),
  plan: (block, context) =>
    el(
      'div.block.plan',
      {},
      el('p', {}, el('strong', {}, block.title)),
      ...(block.tasks ?? []).map((one) => task(one, context)),
    ),
}

function unknown(block) {
  return el('p.block.quiet', {}, `(a ${block.type} block, which this page does not show)`)
}

function textObject(text, { names }) {
  return text.type === 'mrkdwn' ? mrkdwn(text.text, names) : [emoji(text.text)]
}

function fields(list, context) {
  return el('div.fields', {}, ...list.map((field) => el('div', {}, ...textObject(field, context))))
}

/** Pictures from elsewhere are not loaded: their words stand in. */
function image(block) {
  return el('span.image', {}, `🖼 ${block.alt_text}`)
}

function element(one, context) {
  if (one.type === 'button') return one.url ? link(one.url, emoji(one.text.text)) : button(one, context)
  if (one.type === 'feedback_buttons') return feedback(one, context)
  if (one.type === 'icon_button')
    return el('button.button', { type: 'button', onclick: () => context.press(one) }, emoji(one.text.text))
  return el('span.quiet', {}, `(${one.type})`)
}

function button(one, context) {
  const look = one.style ? `.${one.style}` : ''
  return el(`button.button${look}`, { type: 'button', onclick: () => context.press(one) }, emoji(one.text.text))
}

/** Thumbs up and down; which one was pressed stays marked. */
function feedback(one, context) {
  const make = (side, sign) => {
    const { text, value } = one[side]
    return el(
      'button.button.icon',
      {
        type: 'button',
        'aria-label': text.text,
        title: text.text,
        'aria-pressed': 'false',
        onclick: (event) => choose(event.currentTarget, value),
      },
      el('span', { 'aria-hidden': 'true' }, sign),
    )
  }
  const choose = (chosen, value) => {
    for (const other of chosen.parentElement.children) other.setAttribute('aria-pressed', String(other === chosen))
    context.press({ action_id: one.action_id, value })
  }
  return el(
    'span.feedback',
    { role: 'group', 'aria-label': 'Feedback' },
    make('positive_button', '👍'),
    make('negative_button', '👎'),
  )
}

const PARTS = { rich_text_section: 'p', rich_text_quote: 'blockquote', rich_text_preformatted: 'pre' }

function rich(part, context) {
  if (part.type === 'rich_text_list')
    return el(
      part.style === 'ordered' ? 'ol' : 'ul',
      {},
      ...part.elements.map((item) => el('li', {}, ...item.elements.flatMap((one) => richInline(one, context)))),
    )
  return el(PARTS[part.type] ?? 'p', {}, ...part.elements.flatMap((one) => richInline(one, context)))
}

function richInline(one, { names }) {
  if (one.type === 'link') return [styled(link(one.url, one.text || one.url), one.style)]
  if (one.type === 'user') return [el('span.mention', {}, `@${names.user(one.user_id)}`)]
  if (one.type === 'channel') return [el('span.mention', {}, `#${names.channel(one.channel_id)}`)]
  if (one.type === 'broadcast') return [el('span.mention', {}, `@${one.range}`)]
  if (one.type === 'emoji') return [emojiSign(one.name)]
  return [styled(one.text ?? '', one.style)]
}

function styled(node, style = {}) {
  const tags = { bold: 'strong', italic: 'em', strike: 's', code: 'code' }
  return Object.entries(tags).reduce((inner, [name, tag]) => (style[name] ? el(tag, {}, inner) : inner), node)
}

function tableCell(cell, context) {
  return el('td', {}, cell.type === 'rich_text' ? RENDERERS.rich_text(cell, context) : String(cell.text))
}

const SIGNS = { pending: '○', in_progress: '◔', complete: '✓', error: '✕' }

function task(one, context) {
  const parts = [one.details, one.output]
    .filter(Boolean)
    .map((part) => (typeof part === 'string' ? el('p', {}, part) : RENDERERS.rich_text(part, context)))
  return el(
    'div.task',
    {},
    el('p', {}, el('span', { 'aria-hidden': 'true' }, `${SIGNS[one.status] ?? '○'} `), one.title),
    ...parts,
  )
}

/** The chunks of a streamed message: its tasks as they stand now, then its text. */
export function renderChunks(chunks, context) {
  const tasks = new Map()
  const nodes = []
  for (const chunk of chunks) {
    if (chunk.type === 'task_update') tasks.set(chunk.id, { ...tasks.get(chunk.id), ...chunk })
    if (chunk.type === 'plan_update') nodes.push(el('p', {}, el('strong', {}, chunk.title)))
    if (chunk.type === 'blocks') nodes.push(...renderBlocks(chunk.blocks, context))
  }
  const text = chunks.map((chunk) => (chunk.type === 'markdown_text' ? chunk.text : '')).join('')
  return [...nodes, ...[...tasks.values()].map((one) => task(one, context)), el('div.markdown', {}, ...markdown(text))]
}
