import type { KnownBlock, View } from '@slack/web-api'
import { plainContext, plainText } from '../format/plain-elements.ts'
import { escapeText, escapeWithin, headOf } from '../format/escape.ts'

/** Blocks whose words are nothing but words: Slack formats and links nothing in them, and nothing pings. */

/** Slack's limits (https://docs.slack.dev/reference/block-kit), with some room in a section for the mark of a cut. */
const SECTION_CHARS = 2900
const HEADER = { max: 100, most: 150 }
const CONTEXT = { max: 2000, most: 2900 }

/** The whole text, over as many sections as it takes; none for an empty one. */
export function sections(text: string): KnownBlock[] {
  return inPieces(escapeText(text.trim())).map((piece) => ({ type: 'section', text: plainText(piece), expand: true }))
}

export function header(text: string): KnownBlock {
  return { type: 'header', text: plainText(escapeWithin(text, HEADER)) }
}

export function facts(text: string): KnownBlock {
  return plainContext(escapeWithin(text, CONTEXT))
}

/** A modal that says one thing. */
export function noteModal(title: string, text: string): View {
  return { type: 'modal', title: plainText(title), close: plainText('Close'), blocks: sections(text) }
}

/** Escaped text in pieces of at most `SECTION_CHARS`, cut at the end of a line where one is near, and never in an entity. */
function inPieces(escaped: string): string[] {
  const pieces: string[] = []
  let from = 0
  while (from < escaped.length) {
    const piece = headOf(escaped.slice(from, from + SECTION_CHARS + 1), SECTION_CHARS)
    const isLast = from + piece.length >= escaped.length
    const end = isLast ? piece.length : cutIn(piece)
    // Slack refuses a text of nothing.
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
