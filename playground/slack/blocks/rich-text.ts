import { isObject } from '../args.ts'
import type { Complain } from './block-elements.ts'
import type { Json } from '../types.ts'

/** The required fields of each inline element. */
const INLINE: Record<string, string[]> = {
  text: ['text'],
  link: ['url'],
  user: ['user_id'],
  channel: ['channel_id'],
  usergroup: ['usergroup_id'],
  broadcast: ['range'],
  emoji: ['name'],
  date: ['timestamp', 'format'],
  color: ['value'],
  team: ['team_id'],
}

/** https://docs.slack.dev/reference/block-kit/blocks/rich-text-block#text-element-type */
const STYLES = new Set(['bold', 'italic', 'strike', 'code', 'underline', 'highlight', 'client_highlight', 'unlink'])

/** Checks a rich_text block: sections, lists, quotes and preformatted pieces, each a list of inline elements. */
export function checkRichText(block: Json, complain: Complain) {
  if (block['type'] !== 'rich_text') complain('no rich_text')
  for (const part of list(block, complain)) {
    if (part['type'] === 'rich_text_list') checkList(part, complain)
    else if (!['rich_text_section', 'rich_text_quote', 'rich_text_preformatted'].includes(String(part['type'])))
      complain(`unsupported rich text: ${String(part['type'])}`)
    else for (const inline of list(part, complain)) checkInline(inline, part, complain)
  }
}

/** The elements of a part, each an object. */
function list(holder: Json, complain: Complain): Json[] {
  const elements = holder['elements']
  if (!Array.isArray(elements)) return complain('rich text without elements')
  return elements.map((element: unknown) => (isObject(element) ? element : complain('an element is no object')))
}

/** Checks a list: it holds sections, which hold the text. */
function checkList(part: Json, complain: Complain) {
  if (part['style'] !== 'bullet' && part['style'] !== 'ordered') complain('a list is bullet or ordered')
  for (const item of list(part, complain)) {
    if (item['type'] !== 'rich_text_section') complain('a list holds sections')
    for (const inline of list(item, complain)) checkInline(inline, item, complain)
  }
}

/** Checks an inline element. Preformatted text can hold only text and links. */
function checkInline(inline: Json, holder: Json, complain: Complain) {
  const type = String(inline['type'])
  const needed = INLINE[type]
  if (!needed) return complain(`unsupported inline element: ${type}`)
  for (const name of needed) if (inline[name] === undefined || inline[name] === '') complain(`${type} needs ${name}`)
  if (holder['type'] === 'rich_text_preformatted' && type !== 'text' && type !== 'link')
    complain(`${type} in preformatted text`)
  const style = inline['style']
  if (style === undefined) return
  if (!isObject(style)) return complain('style is no object')
  for (const [name, on] of Object.entries(style))
    if (!STYLES.has(name) || typeof on !== 'boolean') complain(`style ${name}`)
}
