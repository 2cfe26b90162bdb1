import { reactLabel } from './react-labels.ts'
import { nextLine } from './fences.ts'

/** A stretch of text that is thinking aloud before the turn, tags included. Offsets; one that is not over ends at Infinity. */
export interface Span {
  start: number
  end: number
}

const OPEN = /<(?:think|thinking|thought|reasoning|reflection)>/gi
const CLOSE = /<\/(?:think|thinking|thought|reasoning|reflection)>/gi

/**
 * The `<think>` blocks of a completion. A tag counts where it begins a line (or follows a label there) before the first
 * action or answer: an answer may speak of the tag.
 */
export function thinkingSpans(text: string): Span[] {
  const spans: Span[] = []
  let from = 0
  for (let open = find(OPEN, text, 0); open; open = find(OPEN, text, from)) {
    if (!opensTurn(text.slice(from, open.start))) break
    const end = find(CLOSE, text, open.end)?.end ?? Infinity
    spans.push({ start: open.start, end })
    from = end
  }
  return spans
}

/** Whether a text ends inside a block that is still open: what a stream says there is not yet its turn. */
export function isThinking(text: string): boolean {
  return thinkingSpans(text).at(-1)?.end === Infinity
}

/**
 * Drops what a model thought aloud: its `<think>` blocks, and all before a closing tag without an opening one, which
 * stands in the prompt of some models.
 */
export function stripThinking(text: string): string {
  let kept = ''
  let from = 0
  for (const { start, end } of thinkingSpans(text)) {
    kept += text.slice(from, start)
    from = end
  }
  const rest = kept + text.slice(from)
  const close = find(CLOSE, rest, 0)
  return close && endsThinking(rest, close) ? rest.slice(close.end) : rest
}

function find(pattern: RegExp, text: string, from: number): Span | undefined {
  pattern.lastIndex = from
  const match = pattern.exec(text)
  return match ? { start: match.index, end: pattern.lastIndex } : undefined
}

/** Whether a tag after `before` stands at the beginning of a line or thought, with no action or answer yet. */
function opensTurn(before: string): boolean {
  let line = 0
  for (let at = 0; at < before.length; at = nextLine(before, at)) {
    const name = reactLabel(before, at)?.name
    if (name === 'action' || name === 'answer') return false
    line = at
  }
  if (before.endsWith('\n')) return true
  const label = reactLabel(before, line)
  return before.slice(label?.name === 'thought' ? label.valueAt : line).trim() === ''
}

/** Whether a closing tag without an opening one ends a thought: it begins or ends its line, and something follows. */
function endsThinking(text: string, { start, end }: Span): boolean {
  if ((find(OPEN, text, 0)?.start ?? Infinity) < start || text.slice(end).trim() === '') return false
  const lineAt = text.lastIndexOf('\n', start) + 1
  return text.slice(lineAt, start).trim() === '' || text.slice(end, nextLine(text, end)).trim() === ''
}
