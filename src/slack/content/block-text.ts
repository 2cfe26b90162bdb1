import { escapeText, unescapeText } from '../format/escape.ts'
import { controlText } from './control-text.ts'
import { lines, listOf, objectOf, textOf, type SlackObject } from './json.ts'
import { plainText } from './plain-text.ts'
import type { ReadBudget } from './read-budget.ts'
import { richText } from './rich-text.ts'

/** The rows of a table, each cell as plain text. Ids of people and channels stay. */
export type MessageTable = string[][]

/** What a reading of blocks needs: its limits, and where the tables go. */
export interface BlockReading {
  budget: ReadBudget
  tables: MessageTable[]
}

/** Returns blocks as mrkdwn, in the order in which people see them. */
export function blocksText(blocks: unknown, reading: BlockReading): string {
  return lines(listOf(blocks).map((one) => reading.budget.element(() => blockText(objectOf(one), reading))))
}

function blockText(block: SlackObject, reading: BlockReading): string {
  const { budget } = reading
  const own = (value: unknown) => textObject(value, budget)
  switch (block.type) {
    case 'rich_text':
      return richText(block, budget)
    case 'section':
      return lines([
        [own(block.text), elements([block.accessory], reading)].filter(Boolean).join(' '),
        ...listOf(block.fields).map(own),
      ])
    case 'header':
    case 'markdown':
      return own(block.text)
    case 'context':
      return context(listOf(block.elements), reading)
    case 'actions':
      return elements(listOf(block.elements), reading)
    case 'image':
      return imageText(block, budget)
    case 'table':
    case 'data_table':
      return lines([own(block.title), own(block.caption), tableText(block, reading)])
    case 'divider':
    case 'context_actions':
      return ''
    default:
      return anyText(block, reading)
  }
}

/** Returns a text object, or a text that stands where one should be. Only mrkdwn has markup. */
function textObject(value: unknown, budget: ReadBudget): string {
  if (typeof value === 'string') return escapeText(budget.take(unescapeText(value)))
  const { type, text } = objectOf(value)
  if (type === 'rich_text') return richText(objectOf(value), budget)
  const words = textOf(text)
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
  const description = textOf(alt).trim()
  if (shown !== '' && (description === '' || plainText(shown, '') === description)) return shown
  const about = description === '' ? '(image)' : `(image: ${escapeText(budget.take(unescapeText(description)))})`
  return [shown, about].filter(Boolean).join(' ')
}

/** Cells may be null, and rows of different lengths. */
function tableText({ rows }: SlackObject, { budget, tables }: BlockReading): string {
  const read = listOf(rows).map((row) =>
    listOf(Array.isArray(row) ? row : (objectOf(row).cells ?? objectOf(row).elements)).map((cell) => {
      const text = budget.element(() => cellText(cell, budget))
      return text
        .split('\n')
        .map((line) => line.trim())
        .join(' ')
        .trim()
    }),
  )
  const kept = read.filter((row) => row.some((cell) => cell !== ''))
  if (kept.length > 0) tables.push(kept.map((row) => row.map((cell) => plainText(cell, ''))))
  return kept.map((row) => row.join(' | ')).join('\n')
}

function cellText(cell: unknown, budget: ReadBudget): string {
  const { type, text, value, elements: inner } = objectOf(cell)
  if (inner !== undefined) return richText(objectOf(cell), budget)
  if (type === 'mrkdwn') return textObject(cell, budget)
  // A shown text such as `1,250 €` says more than its number.
  const words = typeof cell === 'object' ? textOf(text) || textOf(objectOf(text).text) || textOf(value) : textOf(cell)
  return escapeText(budget.take(words))
}

/** Fields with words, in the order in which cards and containers show them; then all other fields. */
const SHOWN_FIRST = ['title', 'label', 'header', 'subtitle', 'caption', 'text', 'description', 'body', 'details']
/** Words that stand in a field themselves and not in a text object. */
const WORDS = new Set([...SHOWN_FIRST, 'message', 'summary', 'output', 'author_name', 'hint'])
/** What people do not see, or only after a click. */
const UNSEEN = new Set(['confirm', 'options', 'option_groups', 'fallback', 'style', 'metadata'])

/** Returns the text objects, elements and known blocks anywhere in a block of a kind that is not known here. */
function anyText(block: SlackObject, reading: BlockReading): string {
  const text = lines(inOrder(block).map(([key, value]) => valueText(key, value, reading)))
  if (text === '') reading.budget.leaveOut('block of an unknown kind')
  return text
}

function inOrder(block: SlackObject): [string, unknown][] {
  const place = (key: string) => (SHOWN_FIRST.includes(key) ? SHOWN_FIRST.indexOf(key) : SHOWN_FIRST.length)
  return Object.entries(block)
    .filter(([key]) => !UNSEEN.has(key))
    .sort(([a], [b]) => place(a) - place(b))
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
    if (KNOWN.has(textOf(one.type))) return blockText(one, reading)
    const control = controlText(one, (inner) => textObject(inner, reading.budget))
    return control ?? lines(inOrder(one).map(([inner, each]) => valueText(inner, each, reading)))
  })
}

const KNOWN = new Set([
  'rich_text',
  'section',
  'header',
  'markdown',
  'context',
  'actions',
  'image',
  'table',
  'data_table',
])
