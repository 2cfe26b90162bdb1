/**
 * Why Slack would refuse blocks. Forms and limits from https://docs.slack.dev/reference/block-kit; what Slack is known to
 * take but does not write down is taken.
 */
import { isObject } from './args.ts'
import { checkAction, checkTextObject, type Complain } from './block-elements.ts'
import { checkRichText } from './rich-text.ts'
import { Refusal, type Json } from './types.ts'

/** At most 50 blocks in a message and 100 in a view. */
export const MESSAGE_BLOCKS = 50
export const VIEW_BLOCKS = 100
/** All markdown blocks of a message together, in characters. */
const MARKDOWN_TOTAL = 12_000

/** What each kind of block must be. A kind that is not here is refused, as Slack refuses what it does not know. */
const CHECKS: Record<string, (block: Json, complain: Complain) => void> = {
  section: checkSection,
  header: (block, complain) => checkTextObject(block['text'], { complain, most: 150, plain: true }),
  divider: () => undefined,
  context: checkContext,
  actions: (block, complain) => each(block, { most: 25, complain }, (element) => checkAction(element, complain)),
  context_actions: (block, complain) =>
    each(block, { most: 5, complain }, (element) => checkContextAction(element, complain)),
  markdown: (block, complain) => {
    if (typeof block['text'] !== 'string' || block['text'] === '') complain('text is empty')
  },
  image: checkImage,
  input: checkInput,
  rich_text: checkRichText,
  table: checkTable,
  task_card: checkTask,
  plan: checkPlan,
}

/** @throws Refusal `invalid_blocks` with what is wrong and where. */
export function checkBlocks(blocks: unknown, most = MESSAGE_BLOCKS): asserts blocks is Json[] {
  if (!Array.isArray(blocks)) throw new Refusal('invalid_blocks_format', { why: 'blocks is not a list' })
  if (blocks.length > most) throw refused(`${blocks.length} blocks, at most ${most}`)
  blocks.forEach((block: unknown, index) => checkBlock(block, index))
  const ids = blocks.map((block: Json) => block['block_id']).filter((id) => id !== undefined)
  if (new Set(ids).size < ids.length) throw refused('block_id is there twice')
  if (blocks.filter((block: Json) => block['type'] === 'table').length > 1) throw refused('only one table a message')
  const markdown = blocks.reduce((sum: number, block: Json) => sum + markdownLength(block), 0)
  if (markdown > MARKDOWN_TOTAL) throw new Refusal('msg_blocks_too_long', { why: `${markdown} characters of markdown` })
}

function markdownLength(block: Json): number {
  return block['type'] === 'markdown' ? String(block['text']).length : 0
}

/** The SDK shows people the messages of `response_metadata`, so the reason goes there. */
function refused(why: string): Refusal {
  return new Refusal('invalid_blocks', { why, more: { response_metadata: { messages: [`[ERROR] ${why}`] } } })
}

/** The place of a fault is told as Slack tells it, by a JSON pointer. */
function checkBlock(block: unknown, index: number) {
  const complain: Complain = (why) => {
    throw refused(`${why} [json-pointer:/blocks/${index}]`)
  }
  if (!isObject(block) || typeof block['type'] !== 'string') return complain('a block without a type')
  const id = block['block_id']
  if (id !== undefined && (typeof id !== 'string' || id.length > 255)) complain('block_id is over 255 characters')
  const check = CHECKS[block['type']]
  if (!check) return complain(`unsupported type: ${block['type']}`)
  check(block, complain)
}

/** Checks each of a block's elements, one at least. */
function each(block: Json, limits: { most: number; complain: Complain }, check: (element: Json) => void) {
  const elements = block['elements']
  if (!Array.isArray(elements) || elements.length === 0) return limits.complain('elements are missing')
  if (elements.length > limits.most) limits.complain(`${elements.length} elements, at most ${limits.most}`)
  for (const element of elements) {
    if (!isObject(element) || typeof element['type'] !== 'string') return limits.complain('an element without a type')
    check(element)
  }
}

function checkSection(block: Json, complain: Complain) {
  const { text, fields, accessory } = block
  if (text === undefined && fields === undefined) complain('a section needs text or fields')
  if (text !== undefined) checkTextObject(text, { complain, most: 3000 })
  if (fields !== undefined) {
    if (!Array.isArray(fields) || fields.length === 0 || fields.length > 10) return complain('1 to 10 fields')
    for (const field of fields) checkTextObject(field, { complain, most: 2000 })
  }
  if (accessory !== undefined) checkAccessory(accessory, complain)
}

function checkAccessory(element: unknown, complain: Complain) {
  if (!isObject(element)) return complain('accessory is no element')
  if (element['type'] === 'image') checkImage(element, complain)
  else checkAction(element, complain)
}

function checkContext(block: Json, complain: Complain) {
  each(block, { most: 10, complain }, (element) => {
    if (element['type'] === 'image') checkImage(element, complain)
    else checkTextObject(element, { complain, most: 3000 })
  })
}

/** https://docs.slack.dev/reference/block-kit/block-elements/feedback-buttons-element */
function checkContextAction(element: Json, complain: Complain) {
  if (element['type'] === 'icon_button') return checkTextObject(element['text'], { complain, most: 75, plain: true })
  if (element['type'] !== 'feedback_buttons') return complain(`unsupported element: ${String(element['type'])}`)
  for (const name of ['positive_button', 'negative_button']) {
    const button = element[name]
    if (!isObject(button)) return complain(`${name} is missing`)
    checkTextObject(button['text'], { complain, most: 75, plain: true })
    if (typeof button['value'] !== 'string' || button['value'].length > 2000)
      complain(`${name} needs a value of at most 2000`)
  }
}

/** Slack fetches the picture; here its address only has to be one. */
function checkImage(block: Json, complain: Complain) {
  const { image_url: url, slack_file: file, alt_text: alt, title } = block
  if (file === undefined && (typeof url !== 'string' || !/^https?:\/\//.test(url) || url.length > 3000))
    complain('image_url is no address')
  if (typeof alt !== 'string' || alt.length > 2000) complain('alt_text is missing or over 2000 characters')
  if (title !== undefined) checkTextObject(title, { complain, most: 2000, plain: true })
}

function checkInput(block: Json, complain: Complain) {
  checkTextObject(block['label'], { complain, most: 2000, plain: true })
  if (block['hint'] !== undefined) checkTextObject(block['hint'], { complain, most: 2000, plain: true })
  if (!isObject(block['element'])) return complain('an input needs an element')
  checkAction(block['element'], complain)
}

/** https://docs.slack.dev/reference/block-kit/blocks/table-block */
function checkTable(block: Json, complain: Complain) {
  const rows = block['rows']
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > 100) return complain('1 to 100 rows')
  for (const row of rows) {
    if (!Array.isArray(row) || row.length === 0 || row.length > 20) return complain('1 to 20 cells a row')
    for (const cell of row) {
      if (!isObject(cell)) return complain('a cell is no object')
      if (cell['type'] === 'rich_text') checkRichText(cell, complain)
      else if (cell['type'] !== 'raw_text' && cell['type'] !== 'raw_number')
        complain(`unsupported cell: ${String(cell['type'])}`)
      else if (typeof cell['text'] !== 'string') complain('a cell without text')
    }
  }
}

/** https://docs.slack.dev/reference/block-kit/blocks/task-card-block */
function checkTask(block: Json, complain: Complain) {
  if (typeof block['task_id'] !== 'string' || typeof block['title'] !== 'string')
    complain('a task needs task_id and title')
  if (!['pending', 'in_progress', 'complete', 'error'].includes(String(block['status']))) complain('status of a task')
  for (const name of ['details', 'output']) {
    const part = block[name]
    if (part !== undefined) checkRichText(isObject(part) ? part : {}, complain)
  }
}

function checkPlan(block: Json, complain: Complain) {
  if (typeof block['title'] !== 'string') complain('a plan needs a title')
  const tasks = block['tasks'] ?? []
  if (!Array.isArray(tasks)) return complain('tasks is no list')
  for (const task of tasks) checkTask(isObject(task) ? task : {}, complain)
}
