import { cutText } from '../../base/cut-text.ts'
import { isBlank } from './escape.ts'
import { fence, type TextPiece } from './markdown.ts'

/** Slack's limit is 3,000 characters a section (https://docs.slack.dev/reference/block-kit/blocks). */
export const SECTION_CHARS = 2900

/**
 * Packs pieces into texts for sections. A piece that does not fit is split at lines, sentences or words; a code block
 * becomes several complete ones. Nothing is lost, and no entity or link is cut in two.
 */
export function packPieces(pieces: TextPiece[]): string[] {
  const out: string[] = []
  for (const piece of pieces.flatMap((p) => splitPiece(p, SECTION_CHARS))) {
    const last = out.at(-1)
    if (last !== undefined && last.length + 2 + piece.length <= SECTION_CHARS)
      out[out.length - 1] = `${last}\n\n${piece}`
    else out.push(piece)
  }
  return out
}

function splitPiece(piece: TextPiece, max: number): string[] {
  if (piece.kind === 'code') return splitText(piece.text, max - FENCE, ['\n']).map(fence)
  return splitText(piece.text, max, ['\n', '. ', '。', ' '])
}

const FENCE = fence('').length

function splitText(text: string, max: number, places: string[]): string[] {
  const out: string[] = []
  let rest = text
  while (rest.length > max) {
    const at = cutAt(rest, max, places)
    out.push(rest.slice(0, at).trimEnd())
    rest = places.includes(' ') ? withoutGap(rest.slice(at)) : rest.slice(at).replace(/^\n/, '')
  }
  return [...out, rest].filter((part) => !isBlank(part))
}

/** Trims the start of a text that was split off, but keeps the indent of a new line. */
function withoutGap(text: string): string {
  return text.startsWith('\n') ? text.replace(/^\s*\n/, '') : text.trimStart()
}

/** Returns the last good place to cut before `max`, but not in the first third, where it would leave a stub. */
function cutAt(text: string, max: number, places: string[]): number {
  const window = text.slice(0, max)
  for (const place of places) {
    const at = window.lastIndexOf(place)
    if (at > max / 3 && markStart(text, at + place.length) < 0) return at + (place === '\n' ? 0 : place.length)
  }
  const mark = markStart(text, max)
  return mark > 0 ? mark : cutText(text, max).length
}

/** Returns the start of the `<link|label>` or `&entity;` that a cut at `at` would break; -1 if it would break none. */
function markStart(text: string, at: number): number {
  const from = Math.max(0, at - MARK_CHARS)
  const before = text.slice(from, at)
  const open = before.lastIndexOf('<')
  if (open >= 0 && before.indexOf('>', open) < 0) return from + open
  const entity = /&[a-z]{0,4}$/.exec(before.slice(-5))
  return entity ? at - entity[0].length : -1
}

/** Longer than the longest link. */
const MARK_CHARS = 2500
