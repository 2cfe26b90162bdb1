/** Draws the bot's work and its results: tasks, plans, containers, data tables. */
import { el, link } from './dom.js'
import { markdown } from './draw-markdown.js'
import { richText } from './draw-rich-text.js'
import { emoji } from './emoji.js'
import { plainWords } from './mrkdwn.js'

const STATUSES = {
  pending: { sign: '○', words: 'not begun' },
  in_progress: { sign: '◔', words: 'under way' },
  complete: { sign: '✓', words: 'done' },
  error: { sign: '✕', words: 'failed' },
}

/**
 * Draws a task. Its details fold away under its title.
 * @param {object} one a task_card block, or the joined chunks of one task
 * @param {(block: object) => Node[]} draw
 */
function task(one, draw) {
  const status = STATUSES[one.status] ?? STATUSES.pending
  const part = (content) => (typeof content === 'string' ? markdown(content) : draw(content))
  const parts = [one.details, one.output].filter(Boolean).map((content) => el('div.task-part', {}, ...part(content)))
  if (one.sources?.length > 0) parts.push(sources(one.sources))
  const title = [
    el(`span.task-sign.${one.status ?? 'pending'}`, { 'aria-hidden': 'true' }, status.sign),
    el('span.task-title', {}, emoji(one.title), el('span.sr-only', {}, `, ${status.words}`)),
  ]
  const id = { 'data-task': one.task_id ?? one.id }
  if (parts.length === 0) return el('li.task', id, el('p.task-head', {}, ...title))
  return el('li.task', id, el('details', {}, el('summary.task-head', {}, ...title), ...parts))
}

function sources(list) {
  return el('p.task-sources', {}, ...list.flatMap(({ url, text }) => [link(url, text), ' ']))
}

/** Draws tasks one below the other. */
export function timeline(tasks, draw) {
  return el('ul.tasks', { 'aria-label': 'Tasks' }, ...tasks.map((one) => task(one, draw)))
}

/** Draws a plan: its title, its progress, its tasks. */
export function plan({ title, tasks }, draw) {
  const done = tasks.filter((one) => one.status === 'complete' || one.status === 'error').length
  const count = tasks.length > 0 && el('span.plan-count', {}, `${done} of ${tasks.length}`)
  return el('div.block.plan', {}, el('p.plan-title', {}, el('strong', {}, emoji(title)), count), timeline(tasks, draw))
}

/** Draws blocks in a frame that can be collapsed. */
export function container(block, drawAll, context) {
  const words = block.rich_text_title ? richText(block.rich_text_title, context) : plainWords(block.title)
  const title = [
    block.icon && el('span.image', {}, `🖼 ${block.icon.alt_text}`),
    el('strong', {}, words),
    block.subtitle && el('span.quiet', {}, plainWords(block.subtitle)),
  ]
  const children = el('div.container-blocks', {}, ...drawAll(block.child_blocks))
  if (!block.is_collapsible) return el('div.block.container', {}, el('p.container-title', {}, ...title), children)
  const open = block.default_collapsed !== true
  return el('details.block.container', { open }, el('summary.container-title', {}, ...title), children)
}

/** Draws a table that the keyboard can scroll too. */
export function tableRegion(label, ...children) {
  return el('div.block.table', { role: 'region', 'aria-label': label, tabindex: 0 }, el('table', {}, ...children))
}

/** https://docs.slack.dev/reference/block-kit/blocks/data-table-block. Further pages are drawn on demand. */
export function dataTable(block, cell) {
  const [head, ...rows] = block.rows
  const size = block.page_size ?? rows.length
  const row = (cells, index) =>
    el(
      'tr',
      { hidden: index >= size },
      ...cells.map((one, column) =>
        column === block.row_header_column_index
          ? el('th', { scope: 'row' }, cell(one))
          : el(one.type === 'raw_number' ? 'td.number' : 'td', {}, cell(one)),
      ),
    )
  const body = el('tbody', {}, ...rows.map(row))
  const table = tableRegion(
    block.caption,
    el('caption', {}, block.caption),
    el('thead', {}, el('tr', {}, ...head.map((one) => el('th', { scope: 'col' }, cell(one))))),
    body,
  )
  if (rows.length <= size) return table
  const all = (event) => {
    for (const hidden of body.querySelectorAll('tr[hidden]')) hidden.hidden = false
    event.currentTarget.remove()
  }
  const more = el('button.button', { type: 'button', onclick: all }, `Show all ${rows.length} rows`)
  return el('div.block', {}, table, more)
}
