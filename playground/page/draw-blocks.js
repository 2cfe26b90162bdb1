/** Draws Block Kit, as far as bots of this kind use it: https://docs.slack.dev/reference/block-kit/blocks. */
import { el, link } from './dom.js'
import { chart } from './draw-chart.js'
import { element } from './draw-elements.js'
import { markdown } from './draw-markdown.js'
import { richText } from './draw-rich-text.js'
import { container, dataTable, plan, tableRegion, timeline } from './draw-work.js'
import { mrkdwn, plainWords } from './mrkdwn.js'

/**
 * @param {Record<string, any>[]} blocks
 * @param {{ key: string, names: object, press(action: { action_id: string, value?: string }): void, field?(block:
 * object): Node }} context `key` identifies the place; `field` draws an input, in a form
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
      block.accessory &&
        (block.accessory.type === 'image' ? image(block.accessory) : element(block.accessory, context)),
    ),
  context: (block, context) =>
    el(
      'div.block.context',
      {},
      ...block.elements.map((one) => (one.type === 'image' ? image(one) : el('span', {}, ...textObject(one, context)))),
    ),
  header: (block) => el('p.block.header', {}, plainWords(block.text)),
  divider: () => el('hr.block'),
  markdown: (block) => el('div.block.markdown', {}, ...markdown(block.text)),
  actions: (block, context) => el('div.block.actions', {}, ...block.elements.map((one) => element(one, context))),
  context_actions: (block, context) =>
    el('div.block.actions', {}, ...block.elements.map((one) => element(one, context))),
  image: (block) => el('div.block', {}, image(block)),
  rich_text: richText,
  table: (block, context) =>
    tableRegion(
      'Table',
      el('tbody', {}, ...block.rows.map((row) => el('tr', {}, ...row.map((one) => el('td', {}, cell(one, context)))))),
    ),
  data_table: (block, context) => dataTable(block, (one) => cell(one, context)),
  data_visualization: (block) => chart(block),
  task_card: (block, context) => timeline([block], drawer(context)),
  plan: (block, context) => plan({ title: block.title, tasks: block.tasks ?? [] }, drawer(context)),
  container: (block, context) => container(block, (blocks) => renderBlocks(blocks, context), context),
  alert: (block, context) =>
    el(`p.block.alert.${block.level ?? 'default'}`, { role: 'note' }, ...textObject(block.text, context)),
  input: (block, context) => context.field?.(block) ?? unknown(block),
  card,
  carousel: (block, context) =>
    el('div.block.carousel', { role: 'group' }, ...block.elements.map((one) => card(one, context))),
  video: (block, context) =>
    el(
      'div.block',
      {},
      el('p', {}, '🎬 ', link(block.title_url ?? block.video_url, plainWords(block.title))),
      ...(block.description ? textObject(block.description, context) : []),
    ),
  file: (block) => el('p.block.quiet', {}, `📄 ${block.external_id ?? 'a file from elsewhere'}`),
}

const drawer = (context) => (block) => renderBlocks([block], context)

/** Draws a placeholder for an unknown block, so that nothing is missing silently. */
function unknown(block) {
  return el('p.block.quiet', {}, `(a block of type ${block.type})`)
}

function textObject(text, { names }) {
  return text.type === 'mrkdwn' ? mrkdwn(text.text, names) : [el('span.plain', {}, plainWords(text))]
}

/** https://docs.slack.dev/reference/block-kit/blocks/card-block */
function card(block, context) {
  const line = (tag, text) => text && el(tag, {}, ...textObject(text, context))
  return el(
    'div.block.card',
    {},
    block.hero_image && image(block.hero_image),
    el(
      'div.card-head',
      {},
      block.icon && image(block.icon),
      line('strong', block.title),
      line('span.quiet', block.subtitle),
    ),
    line('div', block.body),
    block.actions?.length > 0 && el('div.actions', {}, ...block.actions.map((one) => element(one, context))),
  )
}

function fields(list, context) {
  return el('div.fields', {}, ...list.map((field) => el('div', {}, ...textObject(field, context))))
}

/** Pictures from other hosts are not loaded. Their alternative text is shown. */
function image(block) {
  const words = `🖼 ${block.alt_text}`
  return el('span.image', {}, block.title && el('strong', {}, `${plainWords(block.title)} `), words)
}

function cell(one, context) {
  return one.type === 'rich_text' ? richText(one, context) : String(one.text ?? one.value ?? '')
}

/** Draws the chunks of a streamed message: its tasks in their current state, as a plan or one by one, then its text. */
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

/** Merges an update of a task: title and status replace the old ones, details are added. */
function joined(before, chunk) {
  const details = [before?.details, chunk.details].filter(Boolean).join('')
  return { ...before, ...chunk, ...(details && { details }) }
}
