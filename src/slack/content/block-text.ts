import { escapeText, unescapeText } from '../format/escape.ts'
import { controlText } from './control-text.ts'
import { lines, listOf, objectOf, asText, type SlackObject } from './unsure-json.ts'
import { plainText } from './plain-text.ts'
import type { ReadBudget } from './read-budget.ts'
import { link, richText } from './rich-text.ts'
import { chartRows, tableRows, tableText, type BlockReading } from './table-text.ts'

/** Returns blocks as mrkdwn, in the order in which people see them. */
export function blocksText(blocks: unknown, reading: BlockReading): string {
  return lines(listOf(blocks).map((one) => reading.budget.element(() => blockText(objectOf(one), reading))))
}

type BlockReader = (block: SlackObject, reading: BlockReading) => string

const onlyText: BlockReader = ({ text }, { budget }) => textObject(text, budget)
const table: BlockReader = (block, reading) => {
  const { budget } = reading
  const caption = [block.title, block.caption].map((one) => textObject(one, budget))
  const rows = tableRows(block, budget, (cell) => cellText(cell, reading))
  return tableText(rows, reading, ...caption)
}

/** The known kinds of blocks, at the top level and within others. */
const READERS = new Map<unknown, BlockReader>([
  ['rich_text', (block, { budget }) => richText(block, budget)],
  ['section', sectionText],
  ['header', onlyText],
  ['markdown', onlyText],
  ['context', (block, reading) => context(listOf(block.elements), reading)],
  ['actions', (block, reading) => elements(listOf(block.elements), reading)],
  ['image', (block, { budget }) => imageText(block, budget)],
  ['table', table],
  ['data_table', table],
  [
    'data_visualization',
    ({ chart, title }, reading) =>
      tableText(chartRows(objectOf(chart), reading.budget), reading, textObject(title, reading.budget)),
  ],
  ['call', ({ call }, { budget }) => textObject(objectOf(objectOf(call).v1).name, budget)],
])
/** Kinds of blocks without words, at the top level of a message. The `file` is among the files of the message. */
const WORDLESS: ReadonlySet<unknown> = new Set(['divider', 'context_actions', 'file'])

function blockText(block: SlackObject, reading: BlockReading): string {
  if (WORDLESS.has(block.type)) return ''
  return (READERS.get(block.type) ?? anyText)(block, reading)
}

function sectionText({ text, accessory, fields }: SlackObject, reading: BlockReading): string {
  const own = (value: unknown) => textObject(value, reading.budget)
  return lines([[own(text), elements([accessory], reading)].filter(Boolean).join(' '), ...listOf(fields).map(own)])
}

/** Returns a text object, or a text that stands where one should be. Only mrkdwn has markup. */
function textObject(value: unknown, budget: ReadBudget): string {
  if (typeof value === 'string') return escapeText(budget.take(unescapeText(value)))
  const { type, text } = objectOf(value)
  if (type === 'rich_text') return richText(objectOf(value), budget)
  const words = asText(text)
  return type === 'mrkdwn' ? budget.take(words) : escapeText(budget.take(unescapeText(words)))
}

/** Small pictures beside words are ornaments: people do not see their description. */
function context(all: unknown[], reading: BlockReading): string {
  const isImage = (one: unknown) => objectOf(one).type === 'image'
  const spoken = all.filter((one) => !isImage(one))
  return elements(spoken.length > 0 ? spoken : all, reading)
}

function elements(all: unknown[], reading: BlockReading): string {
  const texts = all.map((one) => reading.budget.element(() => elementText(objectOf(one), reading)))
  return texts.filter(Boolean).join(' ')
}

function elementText(element: SlackObject, reading: BlockReading): string {
  const { budget } = reading
  const { type } = element
  if (type === undefined) return ''
  if (type === 'mrkdwn' || type === 'plain_text') return textObject(element, budget)
  if (type === 'image') return imageText(element, budget)
  const control = controlText(element, (value) => textObject(value, budget))
  return control ?? anyText(element, reading)
}

/** A picture's title, and its description if that is not the same. */
function imageText({ title, alt_text: alt }: SlackObject, budget: ReadBudget): string {
  const shown = textObject(title, budget)
  const description = asText(alt).trim()
  if (shown !== '' && (description === '' || plainText(shown, '') === description)) return shown
  const about = description === '' ? '(image)' : `(image: ${escapeText(budget.take(unescapeText(description)))})`
  return [shown, about].filter(Boolean).join(' ')
}

function cellText(cell: unknown, reading: BlockReading): string {
  const { budget } = reading
  const { type, text, value, elements: inner, url } = objectOf(cell)
  if (inner !== undefined || INLINE.has(asText(type))) return richText({ elements: inner ?? [cell] }, budget)
  if (type === 'mrkdwn') return textObject(cell, budget)
  // A shown text such as `1,250 €` says more than its number.
  const words = typeof cell === 'object' ? asText(text) || asText(objectOf(text).text) || asText(value) : asText(cell)
  if (words !== '') return linked(escapeText(budget.take(words)), url)
  if (typeof value === 'boolean') return String(value)
  return asText(type).startsWith('raw_') ? '' : valueText('', cell, reading)
}

/** Elements of rich text that may be a cell by themselves. */
const INLINE = new Set(['user', 'usergroup', 'channel', 'emoji', 'date', 'link', 'broadcast'])

function linked(words: string, url: unknown): string {
  return words !== '' && /^https?:/.test(asText(url)) ? link(asText(url), unescapeText(words)) : words
}

/** Fields with words, in the order in which cards and containers show them; then all other fields. */
const SHOWN_FIRST = [
  ...['rich_text_title', 'title', 'heading', 'label', 'header', 'subtitle', 'caption', 'text', 'description', 'body'],
  ...['subtext', 'details', 'output'],
]
/** Words that stand in a field themselves and not in a text object. */
const WORDS = new Set([...SHOWN_FIRST, 'message', 'summary', 'content', 'author_name', 'hint', 'footer'])
/** What people do not see, or only after a click; and ornaments. */
const UNSEEN = new Set(['confirm', 'options', 'option_groups', 'fallback', 'style', 'metadata', 'icon', 'slack_icon'])

/** Returns the text objects, elements and known blocks anywhere in a block of a kind that is not known here. */
function anyText(block: SlackObject, reading: BlockReading): string {
  const text = fieldsText(block, reading)
  if (text === '') reading.budget.leaveOut('block of an unknown kind')
  return text
}

function inOrder(block: SlackObject): [string, unknown][] {
  const place = (key: string) => (SHOWN_FIRST.includes(key) ? SHOWN_FIRST.indexOf(key) : SHOWN_FIRST.length)
  return Object.entries(block)
    .filter(([key]) => !UNSEEN.has(key) && !(key === 'title' && 'rich_text_title' in block))
    .sort(([a], [b]) => place(a) - place(b))
}

/** The words in fields of an object, of which the title, or the text of a source, may be a link. */
function fieldsText(object: SlackObject, reading: BlockReading): string {
  const texts = inOrder(object).map(([key, value]) => {
    const url = key === 'title' ? (object.title_url ?? object.url) : key === 'text' ? object.url : undefined
    return linked(valueText(key, value, reading), url)
  })
  return lines(texts)
}

function valueText(key: string, value: unknown, reading: BlockReading): string {
  if (typeof value === 'string') return WORDS.has(key) ? textObject(value, reading.budget) : ''
  if (Array.isArray(value)) {
    const texts = value.map((one) => ({ one, text: reading.budget.element(() => valueText(key, one, reading)) }))
    const isRow = texts.every(({ one }) => objectOf(one).type === 'button')
    return isRow ? texts.map(({ text }) => text).join(' ') : lines(texts.map(({ text }) => text))
  }
  if (typeof value !== 'object' || value === null) return ''
  const one = value as SlackObject
  return reading.budget.element(() => {
    if (one.type === 'mrkdwn' || one.type === 'plain_text') return textObject(one, reading.budget)
    if (READERS.has(one.type)) return blockText(one, reading)
    if (asText(one.type).startsWith('rich_text_')) return richText({ elements: [one] }, reading.budget)
    const control = controlText(one, (inner) => textObject(inner, reading.budget))
    return control ?? fieldsText(one, reading)
  })
}
