/** Blocks that show work in progress: tasks, plans, containers. */
import { isObject } from '../args.ts'
import { checkImage, checkTextObject, type Complain } from './block-elements.ts'
import { checkRichText } from './rich-text.ts'
import type { Json } from '../types.ts'

const MAX_CHILDREN = 10
const MAX_TITLE = 150
/** The blocks that both the docs and the live validator accept in a container. */
const CHILDREN = new Set(['actions', 'context', 'divider', 'header', 'image', 'section', 'table', 'video'])

/** https://docs.slack.dev/reference/block-kit/blocks/task-card-block */
export function checkTask(block: Json, complain: Complain) {
  if (typeof block['task_id'] !== 'string' || typeof block['title'] !== 'string')
    complain('a task needs task_id and title')
  if (!['pending', 'in_progress', 'complete', 'error'].includes(String(block['status']))) complain('status of a task')
  for (const name of ['details', 'output']) {
    const part = block[name]
    if (part !== undefined) checkRichText(isObject(part) ? part : {}, complain)
  }
  checkSources(block['sources'], complain)
}

function checkSources(sources: unknown, complain: Complain) {
  if (sources === undefined) return
  if (!Array.isArray(sources)) return complain('sources is no list')
  for (const source of sources) {
    const { type, url, text } = isObject(source) ? source : {}
    if (type !== 'url' || typeof url !== 'string' || typeof text !== 'string' || text === '' || url === '')
      complain('a source is url and text')
  }
}

/** https://docs.slack.dev/reference/block-kit/blocks/plan-block */
export function checkPlan(block: Json, complain: Complain) {
  if (typeof block['title'] !== 'string') complain('a plan needs a title')
  const tasks = block['tasks'] ?? []
  if (!Array.isArray(tasks)) return complain('tasks is no list')
  for (const task of tasks) checkTask(isObject(task) ? task : {}, complain)
  const ids = tasks.map((task: Json) => task['task_id'])
  if (new Set(ids).size < ids.length) complain('task_id is there twice')
}

/** https://docs.slack.dev/reference/block-kit/blocks/container-block */
export function checkContainer(block: Json, complain: Complain, check: (child: Json, complain: Complain) => void) {
  const { title, rich_text_title, subtitle, icon, width, child_blocks: children } = block
  if (rich_text_title === undefined) checkTextObject(title, { complain, max: MAX_TITLE, plain: true })
  else checkRichText(isObject(rich_text_title) ? rich_text_title : {}, complain)
  if (subtitle !== undefined) checkTextObject(subtitle, { complain, max: MAX_TITLE })
  if (icon !== undefined) checkImage(isObject(icon) ? icon : {}, complain)
  if (width !== undefined && !['narrow', 'standard', 'wide', 'full'].includes(String(width)))
    complain(`width ${String(width)}`)
  if (block['default_collapsed'] === true && block['is_collapsible'] !== true)
    complain('default_collapsed needs is_collapsible')
  if (!Array.isArray(children) || children.length === 0 || children.length > MAX_CHILDREN)
    return complain(`1 to ${MAX_CHILDREN} child_blocks`)
  for (const child of children) {
    const type = isObject(child) ? String(child['type']) : 'none'
    if (!isObject(child) || !CHILDREN.has(type)) return complain(`unsupported child: ${type}`)
    check(child, complain)
  }
}
