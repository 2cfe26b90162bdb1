import { isObject } from './args.ts'
import type { Store } from './store.ts'
import type { Json, StoredMessage } from './types.ts'

/** The keys of texts in blocks and chunks that people read. */
const WORDS = ['text', 'title', 'subtitle', 'caption', 'details', 'output', 'alt_text', 'label', 'hint', 'description']

/**
 * Returns the text that a person reads in a message, one piece per line: its blocks, or its text if there are none; the
 * chunks of a stream; its attachments. Names replace ids, and a link is `label (address)`.
 */
export function shown(
  store: Store,
  message: Pick<StoredMessage, 'text' | 'blocks' | 'chunks' | 'attachments'>,
): string {
  const blocks = message.blocks ?? []
  const streamed = folded(message.chunks ?? [])
  const pieces = blocks.length > 0 && streamed.length === 0 ? [] : [message.text]
  for (const part of [...streamed, ...blocks, ...(message.attachments ?? [])]) collect(store, part, pieces)
  return pieces
    .filter(Boolean)
    .map((piece) => displayText(store, piece))
    .join('\n')
}

/** Merges a stream's chunks: each task and the plan in their last state, in the order of their first chunks. */
function folded(chunks: Json[]): Json[] {
  const parts = new Map<unknown, Json>()
  for (const chunk of chunks) {
    if (chunk['type'] === 'markdown_text') continue
    const key = chunk['type'] === 'task_update' ? chunk['id'] : chunk['type'] === 'plan_update' ? 'plan' : chunk
    const before = parts.get(key)
    const details = [before?.['details'], chunk['details']].filter(Boolean).join('')
    parts.set(key, { ...before, ...chunk, ...(details && { details }) })
  }
  return [...parts.values()]
}

/** Returns the text that a person reads in a view: its title, then its blocks. */
export function shownView(store: Store, view: Json): string {
  const title = isObject(view['title']) ? String(view['title']['text']) : ''
  const blocks: Json[] = Array.isArray(view['blocks']) ? view['blocks'] : []
  return shown(store, { text: '', blocks: [{ title }, ...blocks] })
}

/** Collects the texts of blocks in order. A piece of rich text is one line, however it is divided. */
function collect(store: Store, value: unknown, pieces: string[]) {
  if (Array.isArray(value)) for (const one of value) collect(store, one, pieces)
  if (!isObject(value)) return
  if (
    value['type'] === 'rich_text_section' ||
    value['type'] === 'rich_text_preformatted' ||
    value['type'] === 'rich_text_quote'
  )
    return void pieces.push(inlineText(store, value['elements']))
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') collect(store, inner, pieces)
    else if (WORDS.includes(key)) pieces.push(inner)
  }
}

function inlineText(store: Store, elements: unknown): string {
  const list: unknown[] = Array.isArray(elements) ? elements : []
  return list.map((one) => (isObject(one) ? inline(store, one) : '')).join('')
}

/** Returns one inline element as a person reads it. */
function inline(store: Store, element: Json): string {
  const text = String(element['text'] ?? '')
  if (element['type'] === 'link')
    return text && text !== element['url'] ? `${text} (${String(element['url'])})` : String(element['url'])
  if (element['type'] === 'user') return `@${nameOf(store, String(element['user_id']))}`
  if (element['type'] === 'date') return String(element['fallback'] ?? element['timestamp'])
  if (element['type'] === 'emoji') return `:${String(element['name'])}:`
  if (element['type'] === 'broadcast') return `@${String(element['range'])}`
  return text
}

/** Returns a text in Slack's form as people see it: entities and escapes resolved. */
function displayText(store: Store, text: string): string {
  return text
    .replace(/<@([UW]\w+)(?:\|[^>]*)?>/g, (_, id: string) => `@${nameOf(store, id)}`)
    .replace(
      /<#([CG]\w+)(?:\|([^>]*))?>/g,
      (_, id: string, name?: string) => `#${name || store.channels.get(id)?.name || id}`,
    )
    .replace(/<!(channel|here|everyone)(?:\|[^>]*)?>/g, '@$1')
    .replace(/<((?:https?|mailto):[^|>]+)\|([^>]*)>/g, '$2 ($1)')
    .replace(/<((?:https?|mailto):[^|>]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

function nameOf(store: Store, id: string): string {
  return store.users.get(id)?.real_name ?? id
}

/**
 * Returns the pings of a message: users, groups and broadcasts, in its text, blocks and chunks. A text of `rich_text`
 * has none.
 */
export function pings(message: Pick<StoredMessage, 'text' | 'blocks' | 'chunks' | 'attachments'>): string[] {
  const { text, blocks, chunks, attachments } = message
  const source = JSON.stringify([text, blocks, chunks, attachments], (_, value: unknown) =>
    isPlainPart(value) ? '' : value,
  )
  const written = source.match(/<(?:@[UW]\w+|!(?:channel|here|everyone)|!subteam\^\w+)[^>]*>/g) ?? []
  const elements = source.match(/"type":"(?:user|usergroup|broadcast)"/g) ?? []
  return [...written, ...elements]
}

function isPlainPart(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'text'
}
