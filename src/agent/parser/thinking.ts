import { readWhole, type Span } from '../observation-cut.ts'
import { nextLine } from './fences.ts'
import { LONE_CLOSING, OPENING } from './reasoning-marks.ts'

/**
 * Drops what a model thought aloud: its blocks between marks of reasoning, and all before a closing mark without an
 * opening one, which stands in the prompt of some models. A mark counts where it begins a line (or follows a label there)
 * before the first action or answer: an answer may speak of it.
 */
export function stripThinking(text: string): string {
  let kept = ''
  let from = 0
  for (const { start, end } of readWhole(text, () => false).reasoning) {
    kept += text.slice(from, start)
    from = end
  }
  const rest = kept + text.slice(from)
  const close = loneClosing(rest)
  return close ? rest.slice(close.end) : rest
}

/**
 * A closing mark without an opening one that ends a thought: it begins or ends its line. Where nothing follows, so that all
 * was thinking, it is its whole line: an answer may end with its name.
 */
function loneClosing(text: string): Span | undefined {
  LONE_CLOSING.lastIndex = 0
  const match = LONE_CLOSING.exec(text)
  if (!match) return undefined
  const { start, end } = { start: match.index, end: LONE_CLOSING.lastIndex }
  const lineAt = text.lastIndexOf('\n', start) + 1
  const [begins, ends] = [text.slice(lineAt, start), text.slice(end, nextLine(text, end))].map(
    (part) => part.trim() === '',
  )
  const standsAlone = text.slice(end).trim() === '' ? begins : begins || ends
  const isGlued = match[0] === 'assistantfinal' && /^\s{0,20}(?:analysis|commentary)/.test(text)
  if (!(standsAlone || isGlued) || OPENING.test(text.slice(0, start))) return undefined
  return { start, end }
}
