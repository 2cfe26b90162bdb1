import { depthAfter, fenceAt, nextLine } from './fences.ts'
import { reactLabel, type Label, type LabelReader } from './react-labels.ts'
import { tidy } from './trim.ts'

/** A labelled part of a turn. `fenced`: a code fence was open before it, so that fence's end is its end too. */
export interface Section extends Label {
  fenced: boolean
}

/** No honest turn has more labels; what comes after so many is not looked at. */
const MOST_LABELS = 1000

/**
 * The labelled parts of a turn, in order. A lone `Input:` is a label only right after an action; `Action: Final Answer: x`
 * is an answer.
 */
export function sectionsOf(turn: string, labelAt: LabelReader = reactLabel): Section[] {
  const sections: Section[] = []
  let depth = 0
  for (let at = 0; at < turn.length && sections.length < MOST_LABELS; at = nextLine(turn, at)) {
    const fence = fenceAt(turn, at)
    if (fence) depth = depthAfter(depth, fence)
    const label = fence ? undefined : labelAt(turn, at)
    if (!label || (!label.colon && !label.decorated)) continue
    const lone = label.name === 'loneInput'
    if (lone && sections.at(-1)?.name !== 'action') continue
    const inner = label.name === 'action' ? labelAt(turn, label.valueAt) : undefined
    const answer = inner?.name === 'answer' && inner.colon ? { name: inner.name, valueAt: inner.valueAt } : {}
    sections.push({ ...label, name: lone ? 'input' : label.name, fenced: depth > 0, ...answer })
  }
  return sections
}

/**
 * The thought before `end`: what stands before the first label, and what follows each `Thought:`. The question that a
 * model echoes is none of it.
 */
export function thoughtBefore(turn: string, sections: Section[], end: number): string {
  const parts: string[] = []
  let open: { valueAt: number; wrap: string } | undefined = { valueAt: 0, wrap: '' }
  for (const section of sections) {
    if (section.at >= end) break
    if (open) parts.push(thoughtText(turn.slice(open.valueAt, section.at), open.wrap))
    open = section.name === 'thought' ? section : undefined
  }
  if (open) parts.push(thoughtText(turn.slice(open.valueAt, end), open.wrap))
  return parts.filter(Boolean).join('\n')
}

function thoughtText(part: string, wrap: string): string {
  const lines = part.split('\n').filter((line) => !fenceAt(line, 0))
  return tidy(unwrapped(tidy(lines.join('\n')), wrap))
}

/** Drops the decoration that was opened before a label and closes its value's first line (`**Action: Search**`). */
export function unwrapped(value: string, wrap: string): string {
  if (!wrap) return value
  const end = value.includes('\n') ? value.indexOf('\n') : value.length
  const line = value.slice(0, end).trimEnd()
  return line.endsWith(wrap) ? line.slice(0, -wrap.length) + value.slice(end) : value
}
