import type { KnownBlock, ModalView, RichTextElement } from '@slack/web-api'
import { cutText } from '../../base/cut-text.ts'
import { plainContext, plainTextElement } from '../format/plain-elements.ts'
import { escapeText, escapeWithin, isBlank, shorten } from '../format/escape.ts'
import { WITHOUT_WORDS } from '../format/messages.ts'

/** Blocks of plain text: Slack formats and links nothing in them, and nothing pings. */

/** Slack's limits (https://docs.slack.dev/reference/block-kit), with a margin in sections for the mark of a cut. */
const SECTION_CHARS = 2900
const HEADER = { max: 100, maxEscaped: 150 }
const CONTEXT = { max: 2000, maxEscaped: 2900 }

/** The whole text in as many sections as it needs; none if it is empty. */
export function sections(text: string): KnownBlock[] {
  return inPieces(escapeText(text.trim())).map((piece) => ({
    type: 'section',
    text: plainTextElement(piece),
    expand: true,
  }))
}

export function header(text: string): KnownBlock {
  return { type: 'header', text: plainTextElement(escapeWithin(text, HEADER)) }
}

export function facts(text: string): KnownBlock {
  return plainContext(escapeWithin(text, CONTEXT))
}

/** A list of rich text, of which Slack formats, links or pings only what is marked so. */
export function bulletList(lines: RichTextElement[][]): KnownBlock {
  const elements = lines.map((line) => ({ type: 'rich_text_section' as const, elements: line }))
  return { type: 'rich_text', elements: [{ type: 'rich_text_list', style: 'bullet', elements }] }
}

const QUESTION_CHARS = 150

/** A question on one line of a list, shortened. Not escaped. */
export function questionLine(text: string): string {
  return isBlank(text) ? WITHOUT_WORDS : shorten(text.replace(/\s+/g, ' ').trim(), QUESTION_CHARS)
}

export function noteModal(title: string, text: string): ModalView {
  return modal(title, sections(text))
}

export function modal(title: string, blocks: ModalView['blocks'], more: Partial<ModalView> = {}): ModalView {
  return { type: 'modal', title: plainTextElement(title), close: plainTextElement('Close'), blocks, ...more }
}

/** A modal that is sent. Slack returns `private_metadata` (at most 3,000 characters) with the submitted values. */
export function formModal(
  title: string,
  [submit, close]: [submit: string, close: string],
  callback_id: string,
  private_metadata: string,
  blocks: KnownBlock[],
): ModalView {
  const labels = { submit: plainTextElement(submit), close: plainTextElement(close) }
  return modal(title, blocks, { ...labels, callback_id, private_metadata })
}

interface TextInput {
  max_length: number
  optional?: boolean
  initial_value?: string
  hint?: string
}

/** An input of several lines. `id`: its `block_id` and `action_id`. */
export function textInput(id: string, label: string, { hint, optional = false, ...more }: TextInput): KnownBlock {
  const element = { type: 'plain_text_input' as const, action_id: id, multiline: true, ...more }
  const shown = hint === undefined ? {} : { hint: plainTextElement(hint) }
  return { type: 'input', block_id: id, optional, label: plainTextElement(label), ...shown, element }
}

/** Splits escaped text into pieces of at most `SECTION_CHARS`, at the end of a line if near, never in an entity. */
function inPieces(escaped: string): string[] {
  const pieces: string[] = []
  let from = 0
  while (from < escaped.length) {
    const piece = cutText(escaped.slice(from, from + SECTION_CHARS + 1), SECTION_CHARS)
    const isLast = from + piece.length >= escaped.length
    const end = isLast ? piece.length : cutIn(piece)
    // Slack refuses empty texts.
    if (piece.slice(0, end).trim() !== '') pieces.push(piece.slice(0, end))
    from += end
  }
  return pieces
}

function cutIn(piece: string): number {
  const line = piece.lastIndexOf('\n')
  if (line > SECTION_CHARS / 2) return line + 1
  const entity = /&[a-z]{0,3}$/.exec(piece.slice(-4))
  return piece.length - (entity?.[0].length ?? 0)
}
