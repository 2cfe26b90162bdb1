/** Block Kit, as far as bots of this kind use it: https://docs.slack.dev/reference/block-kit/blocks. */
import { el, link } from './dom.js'
import { element } from './draw-elements.js'
import { emoji, emojiSign } from './emoji.js'
import { markdown } from './draw-markdown.js'
import { chart, container, dataTable, plan, tableRegion, timeline } from './draw-work.js'
import { mrkdwn } from './mrkdwn.js'

/**
 * @param {Record<string, any>[]} blocks
 * @param {{ key: string, names: object, press(action: { action_id: string, value?: string }): void,
 *   field?(block: object): Node }} context `key` names the place; `field` draws an input, where there is a form
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
    tableRegion(
      'Table',
      el('tbody', {}, ...block.rows.map((row) => el('tr', {}, ...row.map((one) => el('td', {}, cell(one, context)))))),
    ),
  data_table: (block, context) => dataTable(block, (one) => cell(one, context)),
  data_visualization: (block) => chart(block),
  task_card: (block, context) => timeline([block], drawer(context)),
  plan: (block, context) => plan({ title: block.title, tasks: block.tasks ?? [] }, drawer(context)),
  container: (block, context) => container(block, (blocks) => renderBlocks(blocks, context)),
  alert: (block, context) =>
    el(`p.block.alert.${block.level ?? 'default'}`, { role: 'note' }, ...textObject(block.text, context)),
  input: (block, context) => context.field?.(block) ?? unknown(block),
}

const drawer = (context) => (block) => renderBlocks([block], context)

function unknown(block) {
  return el('p.block.quiet', {}, `(a ${block.type} block, which this page does not show)`)
}

function textObject(text, { names }) {
  return text.type === 'mrkdwn' ? mrkdwn(text.text, names) : [el('span.plain', {}, emoji(text.text))]
}

function fields(list, context) {
  return el('div.fields', {}, ...list.map((field) => el('div', {}, ...textObject(field, context))))
}

/** Pictures from elsewhere are not loaded: their words stand in. */
function image(block) {
  return el('span.image', {}, `🖼 ${block.alt_text}`)
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
  if (one.type === 'date') return [new Date(one.timestamp * 1000).toLocaleString()]
  if (one.type === 'emoji') return [emojiSign(one.name)]
  return [styled(one.text ?? '', one.style)]
}

function styled(node, style = {}) {
  const tags = { bold: 'strong', italic: 'em', strike: 's', code: 'code' }
  return Object.entries(tags).reduce((inner, [name, tag]) => (style[name] ? el(tag, {}, inner) : inner), node)
}

function cell(one, context) {
  return one.type === 'rich_text' ? RENDERERS.rich_text(one, context) : String(one.text)
}

/** The chunks of a streamed message: its tasks as they stand now, as a plan or one by one, then its text. */
export function renderChunks(chunks, { mode, ...context }) {
  const tasks = new Map()
  const nodes = []
  let title
  for (const chunk of chunks) {
    if (chunk.type === 'task_update') tasks.set(chunk.id, joined(tasks.get(chunk.id), chunk))
    if (chunk.type === 'plan_update') title = chunk.title
    if (chunk.type === 'blocks') nodes.push(...renderBlocks(chunk.blocks, context))
  }
  const all = [...tasks.values()]
  const asPlan = mode === 'plan' || title !== undefined
  if (asPlan && (title || all.length > 0)) nodes.unshift(plan({ title: title ?? 'Plan', tasks: all }, drawer(context)))
  else if (all.length > 0) nodes.unshift(timeline(all, drawer(context)))
  const text = chunks.map((chunk) => (chunk.type === 'markdown_text' ? chunk.text : '')).join('')
  return text === '' ? nodes : [...nodes, el('div.markdown', {}, ...markdown(text))]
}

/** Of a task that is told again, title and status replace, details are added. */
function joined(before, chunk) {
  const details = [before?.details, chunk.details].filter(Boolean).join('')
  return { ...before, ...chunk, ...(details && { details }) }
}
