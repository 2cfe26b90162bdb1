import { isBlank } from './escape.ts'
import { fence, type Piece } from './markdown.ts'

/**
 * Packs pieces into texts of at most `max` characters: whole pieces where they fit, else split at lines, sentences or
 * words. A code block that must be split becomes several whole ones. Nothing is lost and no entity or link is cut in two.
 */
export function packPieces(pieces: Piece[], max: number): string[] {
  const out: string[] = []
  for (const piece of pieces.flatMap((p) => splitPiece(p, max))) {
    const last = out.at(-1)
    if (last !== undefined && last.length + 2 + piece.length <= max) out[out.length - 1] = `${last}\n\n${piece}`
    else out.push(piece)
  }
  return out
}

function splitPiece(piece: Piece, max: number): string[] {
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

/** A new text begins with words; the indent of a new line is kept. */
function withoutGap(text: string): string {
  return text.startsWith('\n') ? text.replace(/^\s*\n/, '') : text.trimStart()
}

/** The last good place before `max`: not in the first third, where it would leave a stub. */
function cutAt(text: string, max: number, places: string[]): number {
  const window = text.slice(0, max)
  for (const place of places) {
    const at = window.lastIndexOf(place)
    if (at > max / 3 && !insideMark(text, at + place.length)) return at + (place === '\n' ? 0 : place.length)
  }
  let at = max
  while (at > max / 2 && (insideMark(text, at) || isLowSurrogate(text, at))) at--
  return at
}

/** Whether a cut here would fall inside `<link|label>` or `&entity;`. */
function insideMark(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2500), at)
  const open = before.lastIndexOf('<')
  return (open >= 0 && before.indexOf('>', open) < 0) || /&[a-z]{0,4}$/.test(before)
}

function isLowSurrogate(text: string, at: number): boolean {
  return text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) <= 0xdfff
}
