/** The forms in which what people write and press travels. */
import { isObject } from './args.ts'
import type { Json, Message } from './types.ts'

/** A person's text as Slack's editor sends it: a rich_text block with the mentions as elements of their own. */
export function richText(text: string): Json {
  const elements = text
    .split(/(<@[UW]\w+>)/)
    .filter(Boolean)
    .map((part) => (/^<@/.test(part) ? { type: 'user', user_id: part.slice(2, -1) } : { type: 'text', text: part }))
  return { type: 'rich_text', block_id: 'b1', elements: [{ type: 'rich_text_section', elements }] }
}

/** An ack may carry JSON or bare text; either is something to show. */
export function parsed(body: string): Json {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : { text: String(value) }
  } catch {
    return { text: body }
  }
}

/** The element with this action_id, and the block that it stands in. */
export function findAction(blocks: Message['blocks'], id: string): { block: string; element: Json } | undefined {
  for (const [index, block] of (blocks ?? []).entries()) {
    const inner = [...(Array.isArray(block['elements']) ? block['elements'] : []), block['accessory'], block['element']]
    const element = inner.find((one): one is Json => isObject(one) && one['action_id'] === id)
    if (element) return { block: String(block['block_id'] ?? `b${index}`), element }
  }
  return undefined
}
