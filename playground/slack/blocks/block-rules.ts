/**
 * Refuses the blocks that Slack refuses. Forms and limits are from https://docs.slack.dev/reference/block-kit.
 * Undocumented forms that Slack accepts are accepted. Where the docs and the live validator differ, the stricter one
 * applies.
 */
import { isObject } from '../args.ts'
import { checkAction, checkImage, checkInput, checkTextObject, each, type Complain } from './block-elements.ts'
import { checkChart, checkDataTable, checkTable, tableCharacters } from './block-tables.ts'
import { checkContainer, checkPlan, checkTask } from './block-work.ts'
import { checkRichText } from './rich-text.ts'
import { Refusal, type Json } from '../types.ts'

/** At most 50 blocks in a message and 100 in a view. */
const MESSAGE_BLOCKS = 50
export const VIEW_BLOCKS = 100
/** The limits of all markdown blocks of a message together, and of all text in its blocks, in characters. */
const MARKDOWN_TOTAL = 12_000
const WORDS_TOTAL = 13_202
/** The limit of all tables of a message together, in characters. */
const TABLES_TOTAL = 10_000

type BlockSurface = 'message' | 'modal' | 'home'

const ONLY_MESSAGES: BlockSurface[] = ['message']

/** The rule of each kind of block. An unknown kind is refused, as by Slack. */
const CHECKS: Record<string, { check: (block: Json, complain: Complain) => void; on?: BlockSurface[] }> = {
  section: { check: checkSection },
  header: { check: (block, complain) => checkTextObject(block['text'], { complain, max: 150, plain: true }) },
  divider: { check: () => undefined },
  context: { check: checkContext },
  actions: { check: checkActions },
  image: { check: checkImage },
  input: { check: checkInput },
  rich_text: { check: checkRichText },
  alert: { check: checkAlert, on: ['modal'] },
  context_actions: { check: checkContextActions, on: ONLY_MESSAGES },
  markdown: { check: checkMarkdown, on: ONLY_MESSAGES },
  table: { check: checkTable, on: ONLY_MESSAGES },
  data_table: { check: checkDataTable, on: ONLY_MESSAGES },
  data_visualization: { check: checkChart, on: ONLY_MESSAGES },
  task_card: { check: checkTask, on: ONLY_MESSAGES },
  plan: { check: checkPlan, on: ONLY_MESSAGES },
  container: { check: (block, complain) => checkContainer(block, complain, checkChild), on: ONLY_MESSAGES },
}

/** Every kind of block that some surface accepts. */
export const BLOCK_KINDS: readonly string[] = Object.keys(CHECKS)

/** @throws Refusal `invalid_blocks` with the fault and its place, or `msg_blocks_too_long` */
export function checkBlocks(
  blocks: unknown,
  options: { max?: number; surface?: BlockSurface } = {},
): asserts blocks is Json[] {
  const { max = MESSAGE_BLOCKS, surface = 'message' } = options
  if (!Array.isArray(blocks)) throw new Refusal('invalid_blocks_format', { why: 'blocks is not a list' })
  if (blocks.length > max) throw refused(`${blocks.length} blocks, at most ${max}`)
  blocks.forEach((block: unknown, index) => checkBlock(block, `/blocks/${index}`, surface))
  const ids = blocks.map((block: Json) => block['block_id']).filter((id) => id !== undefined)
  if (new Set(ids).size < ids.length) throw refused('block_id is there twice')
  if (surface === 'message') checkTogether(blocks)
}

/** Checks combinations of valid blocks that Slack refuses. */
function checkTogether(blocks: Json[]) {
  const all = blocks.flatMap((block) => [block, ...childrenOf(block)])
  const ofType = (type: string) => all.filter((block) => block['type'] === type)
  if (ofType('table').length > 1) throw refused('only one table a message')
  if (ofType('data_visualization').length > 2) throw refused('only two charts a message')
  const tables = [...ofType('table'), ...ofType('data_table')].reduce((sum, table) => sum + tableCharacters(table), 0)
  if (tables > TABLES_TOTAL) throw refused(`${tables} characters in tables, at most ${TABLES_TOTAL}`)
  const markdown = ofType('markdown').reduce((sum, block) => sum + String(block['text']).length, 0)
  const why = `${markdown} characters of markdown`
  if (markdown > MARKDOWN_TOTAL) throw new Refusal('msg_blocks_too_long', { why })
  const words = wordsIn(blocks)
  if (words >= WORDS_TOTAL) throw new Refusal('msg_blocks_too_long', { why: `${words} characters in blocks` })
}

function childrenOf(block: Json): Json[] {
  return Array.isArray(block['child_blocks']) ? block['child_blocks'].filter(isObject) : []
}

/** Counts the characters of all text in blocks. */
function wordsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one: unknown) => sum + wordsIn(one), 0)
  if (!isObject(value)) return 0
  return Object.entries(value).reduce(
    (sum, [key, inner]) => sum + (key === 'text' && typeof inner === 'string' ? inner.length : wordsIn(inner)),
    0,
  )
}

/** The SDK shows people the messages of `response_metadata`, so the reason goes there. */
function refused(why: string, blame = true): Refusal {
  return new Refusal('invalid_blocks', { why, blame, more: { response_metadata: { messages: [`[ERROR] ${why}`] } } })
}

/** Checks one block. The refusal names the place of the fault as a JSON pointer, as Slack does. */
function checkBlock(block: unknown, pointer: string, surface: BlockSurface) {
  const complain: Complain = (why) => {
    throw refused(`${why} [json-pointer:${pointer}]`)
  }
  if (!isObject(block) || typeof block['type'] !== 'string') return complain('a block without a type')
  const id = block['block_id']
  if (id !== undefined && (typeof id !== 'string' || id.length > 255)) complain('block_id is over 255 characters')
  const known = Object.hasOwn(CHECKS, block['type']) ? CHECKS[block['type']] : undefined
  if (!known) return complain(`unsupported type: ${block['type']}`)
  if (known.on && !known.on.includes(surface)) complain(`unsupported type: ${block['type']} in a ${surface}`)
  known.check(block, complain)
}

/** Checks a block inside a container. The refusal names the container's place. */
function checkChild(block: Json, complain: Complain) {
  CHECKS[String(block['type'])]?.check(block, complain)
}

/** Checks that a value has no kind of block that this workspace does not support yet. @throws Refusal if it has */
export function checkKinds(value: unknown, refusedKinds: Set<string>) {
  if (Array.isArray(value)) for (const one of value) checkKinds(one, refusedKinds)
  if (!isObject(value)) return
  const type = value['type']
  if (typeof type === 'string' && refusedKinds.has(type)) throw refused(`unsupported type: ${type}`, false)
  for (const inner of Object.values(value)) checkKinds(inner, refusedKinds)
}

function checkSection(block: Json, complain: Complain) {
  const { text, fields, accessory } = block
  if (text === undefined && fields === undefined) complain('a section needs text or fields')
  if (text !== undefined) checkTextObject(text, { complain, max: 3000 })
  if (fields !== undefined) {
    if (!Array.isArray(fields) || fields.length === 0 || fields.length > 10) return complain('1 to 10 fields')
    for (const field of fields) checkTextObject(field, { complain, max: 2000 })
  }
  if (accessory === undefined) return
  if (!isObject(accessory)) return complain('accessory is no element')
  if (accessory['type'] === 'image') checkImage(accessory, complain)
  else checkAction(accessory, complain)
}

function checkContext(block: Json, complain: Complain) {
  each(block, { max: 10, complain }, (element) => {
    if (element['type'] === 'image') checkImage(element, complain)
    else checkTextObject(element, { complain, max: 3000 })
  })
}

/** Checks an actions block. A text input is refused there: it belongs in an input block. */
function checkActions(block: Json, complain: Complain) {
  each(block, { max: 25, complain }, (element) => {
    if (/^(?:plain_text|email_text|number|url_text|file)_input$/.test(String(element['type'])))
      complain(`unsupported element: ${String(element['type'])} in actions`)
    checkAction(element, complain)
  })
  const elements: Json[] = Array.isArray(block['elements']) ? block['elements'] : []
  const ids = elements.map((element) => element['action_id']).filter((id) => id !== undefined)
  if (new Set(ids).size < ids.length) complain('action_id is there twice')
}

function checkMarkdown(block: Json, complain: Complain) {
  if (typeof block['text'] !== 'string' || block['text'] === '') complain('text is empty')
}

function checkAlert(block: Json, complain: Complain) {
  checkTextObject(block['text'], { complain, max: 3000 })
  const levels = [undefined, 'default', 'info', 'warning', 'error', 'success']
  if (!levels.includes(block['level'] as string | undefined)) complain(`level ${String(block['level'])}`)
}

/** https://docs.slack.dev/reference/block-kit/blocks/context-actions-block */
function checkContextActions(block: Json, complain: Complain) {
  each(block, { max: 5, complain }, (element) => {
    checkActionId(element, complain)
    if (element['type'] === 'icon_button') return checkIconButton(element, complain)
    if (element['type'] !== 'feedback_buttons') return complain(`unsupported element: ${String(element['type'])}`)
    for (const name of ['positive_button', 'negative_button']) checkThumb(element[name], name, complain)
  })
}

function checkActionId(element: Json, complain: Complain) {
  const id = element['action_id']
  if (id !== undefined && (typeof id !== 'string' || id === '' || id.length > 255))
    complain('action_id of 1 to 255 characters')
}

function checkIconButton(element: Json, complain: Complain) {
  checkTextObject(element['text'], { complain, max: 75, plain: true })
  if (element['icon'] !== 'trash') complain(`icon ${String(element['icon'])}`)
  if (String(element['value'] ?? '').length > 2000) complain('a value of at most 2000 characters')
}

/** https://docs.slack.dev/reference/block-kit/block-elements/feedback-buttons-element */
function checkThumb(button: unknown, name: string, complain: Complain) {
  if (!isObject(button)) return complain(`${name} is missing`)
  checkTextObject(button['text'], { complain, max: 75, plain: true })
  if (typeof button['value'] !== 'string' || button['value'].length > 2000)
    complain(`${name} needs a value of at most 2000`)
}
