import { LABEL_STYLES, labelsOfTags, reactLabel, type Label, type LabelReader } from './labels.ts'
import { dedent, depthAfter, fenceAt, nextLine, tidy } from './text-lines.ts'

/** A labelled part of a turn. `fenced`: a code fence was open before it, so that fence's end is its end too. */
export interface Section extends Label {
  fenced: boolean
  /** Named by a word that is common in prose too (`Answer:`). */
  lone: boolean
}

/** No honest turn has more labels; what comes after so many is not looked at. */
const MOST_LABELS = 1000

/**
 * The labelled parts of a turn, in order. A lone `Input:` is a label only right after an action, a lone `Tool:` only right
 * before an input; `Action: Final Answer: x` is an answer.
 */
export function sectionsOf(turn: string, labelAt: LabelReader = reactLabel): Section[] {
  const sections: Section[] = []
  let depth = 0
  for (let at = 0; at < turn.length && sections.length < MOST_LABELS; at = nextLine(turn, at)) {
    const fence = fenceAt(turn, at)
    if (fence) depth = depthAfter(depth, fence)
    const label = fence ? undefined : labelAt(turn, at)
    if (!label || (!label.colon && !label.decorated)) continue
    const lastName = sections.at(-1)?.name
    if (label.name === 'loneInput' && lastName !== 'action' && lastName !== 'loneAction') continue
    const inner = label.name === 'action' ? labelAt(turn, label.valueAt) : undefined
    sections.push(sectionAt(label, inner?.name === 'answer' && inner.colon ? inner : label, depth > 0))
  }
  return sections.some(({ name }) => name in MEANT)
    ? sections.flatMap((one, i) => inContext(one, sections[i + 1]))
    : sections
}

/** The section of a label, named by the same label or by the one that follows it on its line. */
function sectionAt(label: Label, { name, valueAt }: Label, fenced: boolean): Section {
  const { at, indent, capital, decorated, mark, colon, wrap } = label
  // Spelled out: spreading a label costs more than reading it.
  return { name, at, valueAt, indent, capital, decorated, mark, colon, wrap, fenced, lone: false }
}

const MEANT: Partial<Record<Section['name'], Section['name']>> = {
  loneInput: 'input',
  loneAnswer: 'answer',
  loneAction: 'action',
}

/** A section by the name that its neighbours give it; none where a lone `Tool:` has no input. */
function inContext(section: Section, next: Section | undefined): Section[] {
  const isInput = next?.name === 'input' || next?.name === 'loneInput'
  if (section.name === 'loneAction' && !isInput) return []
  const meant = MEANT[section.name]
  return [meant ? { ...section, name: meant, lone: true } : section]
}

/** The text of a section up to `end`, without its indent, its decoration, and a fence's end that has no beginning. */
export function sectionText(turn: string, section: Section, end: number): string {
  const text = dedent(turn.slice(section.valueAt, end), section.indent).trimEnd()
  return tidy(unwrapped(tidy(withoutLooseFence(text)), section.wrap))
}

/** A bare fence in the last line that closes none here closes one that the turn did not open. */
function withoutLooseFence(text: string): string {
  let depth = 0
  let last = text.length
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const fence = fenceAt(text, at)
    if (fence) depth = depthAfter(depth, fence)
    last = fence && !fence.language && depth === 1 ? at : text.length
  }
  return text.slice(0, last)
}

/** Drops the decoration that was opened before a label and closes its value's first line (`**Action: Search**`). */
export function unwrapped(value: string, wrap: string): string {
  if (!wrap) return value
  const end = value.includes('\n') ? value.indexOf('\n') : value.length
  const line = value.slice(0, end).trimEnd()
  return line.endsWith(wrap) ? line.slice(0, -wrap.length) + value.slice(end) : value
}

/**
 * A turn whose labels are all in another style, or tags, rewritten with plain labels; any other turn as it is. `sections`
 * are those of the turn as written.
 */
export function plainLabels(text: string, sections: Section[], labelAt: LabelReader = reactLabel): string {
  if (sections.some(opensStep)) return text
  const untagged = labelsOfTags(text)
  if (untagged !== text && sectionsOf(untagged, labelAt).some(({ name }) => name === 'action' || name === 'answer'))
    return untagged
  for (const plainLine of LABEL_STYLES) {
    const plain = restyled(text, plainLine)
    if (plain !== text && makesStep(sectionsOf(plain, labelAt), plain)) return plain
  }
  return text
}

function opensStep({ name, lone }: Section): boolean {
  return (name === 'action' || name === 'input' || name === 'answer') && !lone
}

/** Whether labels make a step: an action with its input or as a call, or an answer. */
function makesStep(sections: Section[], text: string): boolean {
  return sections.some(({ name, lone, valueAt }, i) => {
    if (name === 'answer') return !lone || sections.length > 1
    return (
      name === 'action' &&
      (sections[i + 1]?.name === 'input' || /^[^\n]{1,100}[[({]/.test(text.slice(valueAt, valueAt + 120)))
    )
  })
}

function restyled(text: string, plainLine: (line: string) => string | undefined): string {
  const lines: string[] = []
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const line = text.slice(at, nextLine(text, at))
    const plain = fenceAt(text, at) || line.length < 4 ? undefined : plainLine(line)
    lines.push(plain !== undefined && reactLabel(plain, 0) ? withBreak(plain, line) : line)
  }
  return lines.join('')
}

function withBreak(plain: string, line: string): string {
  return line.endsWith('\n') && !plain.endsWith('\n') ? `${plain}\n` : plain
}
