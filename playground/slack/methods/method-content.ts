import { isObject, optional } from '../args.ts'
import { checkBlocks } from '../blocks/block-rules.ts'
import { Refusal, type Json } from '../types.ts'

/** The lengths at which a text is cut or refused, in characters. */
const MAX_TEXT = 40_000
export const MAX_UPDATE_TEXT = 4_000
export const MAX_MARKDOWN = 12_000
/** https://docs.slack.dev/messaging/message-metadata */
const MAX_METADATA = 8_000

/** The checked content of a message. */
interface MethodContent {
  text: string
  blocks?: Json[]
  attachments?: Json[]
  metadata?: Json
}

/** Reads and checks the content of a message. @throws Refusal `no_text`, `msg_too_long`, `invalid_blocks` … */
export function readContent(args: Json, textMost?: number): MethodContent {
  const text = optional(args, 'text')
  const markdown = optional(args, 'markdown_text')
  const { blocks, attachments, metadata } = args
  if (markdown !== undefined && (text !== undefined || blocks !== undefined))
    throw new Refusal('markdown_text_conflict', { why: 'markdown_text together with text or blocks' })
  checkLength(text, textMost ?? MAX_TEXT)
  checkLength(markdown, MAX_MARKDOWN)
  if (blocks !== undefined) checkBlocks(blocks)
  checkAttachments(attachments)
  const shown = [blocks, attachments].some((list) => Array.isArray(list) && list.length > 0)
  if (!shown && !(text ?? markdown ?? '').trim()) throw new Refusal('no_text', { why: 'nothing to show' })
  return {
    text: text ?? markdown ?? '',
    ...(blocks !== undefined && { blocks }),
    ...(Array.isArray(attachments) && { attachments }),
    ...readMetadata(metadata),
  }
}

/** @throws Refusal `msg_too_long`. */
export function checkLength(text: string | undefined, max: number) {
  if (text !== undefined && text.length > max)
    throw new Refusal('msg_too_long', { why: `${text.length} characters, at most ${max}` })
}

/** Reads old-style attachments. Blocks inside them are checked like any others. */
function checkAttachments(attachments: unknown) {
  if (attachments === undefined) return
  if (!Array.isArray(attachments)) throw new Refusal('invalid_attachments', { why: 'attachments is no list' })
  if (attachments.length > 100) throw new Refusal('too_many_attachments', { why: `${attachments.length} attachments` })
  for (const one of attachments) if (isObject(one) && one['blocks'] !== undefined) checkBlocks(one['blocks'])
}

/** Checks the metadata. The bot finds its own posts by it after a crash. */
export function readMetadata(metadata: unknown): { metadata?: Json } {
  if (metadata === undefined) return {}
  if (!isObject(metadata) || typeof metadata['event_type'] !== 'string' || !isObject(metadata['event_payload']))
    throw new Refusal('invalid_metadata_format', { why: 'metadata needs event_type and an object event_payload' })
  if (JSON.stringify(metadata).length > MAX_METADATA)
    throw new Refusal('metadata_too_large', { why: 'metadata over 8 KB' })
  return { metadata }
}
