/**
 * Finds labels and sections. A label opens a part of a ReAct turn: `Thought:`, `Action Input:`, `观察：`. Models write
 * them in bold, as headings, in any case, numbered, indented, with a space before the colon, with a full-width colon. A
 * label stands at the start of a line. The same words inside a sentence are prose. The labelled parts of a turn are its
 * sections.
 */
import { REACT, SPACE, type ReactLabel } from './label-words.ts'
import { readLoose } from './loose-json.ts'
import { dedent, depthAfter, fenceAt, matchAt, nextLine, tidy } from './text-lines.ts'

/** A label: where its line begins and where its value begins. */
export interface Label<Name extends string = ReactLabel> {
  name: Name
  /** Offset of the label's line. `valueAt` is the offset of the first character after the label. */
  at: number
  valueAt: number
  /** The indent in visible characters. */
  indent: number
  /** False if the label is lower case. */
  capital: boolean
  /** Whether it is a heading or bold. Such a label needs no colon if it is alone on its line. */
  decorated: boolean
  /** The heading's signs or the decoration before the label. All labels of a turn have the same. */
  mark: string
  colon: boolean
  /** Decoration that opens before the label and does not close after it (`**Action: Search**`). It ends the value. */
  wrap: string
}

/** Reads the label at the start of the line at `at`, if any. Looks at no other line. */
export type LabelReader<Name extends string = ReactLabel> = (text: string, at: number) => Label<Name> | undefined

// Adjacent parts below never compete without a bound for the same characters, so a failed match takes linear time.
const GAP = `${SPACE}{0,4}`
const MARK = '([*_`]{1,3})?'
const NUMBER = '(?:[#(（]?\\d{1,4}[)）]?)?'
const INDENT = new RegExp(`${SPACE}+`, 'y')
const INDENTS = new Set(' \t\u00a0\u3000\u200b\u200c\u200d\u2060\ufeff')
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g
const BLANK = new RegExp(`${SPACE}*\\r?(?:\\n|$)`, 'y')

/** How many spellings of labels are cached. A turn has only a few. */
const MAX_SPELLINGS = 500

/** Creates a reader for a table of labels. */
export function labelReader<Name extends string>(table: Record<Name, string[]>): LabelReader<Name> {
  const names = Object.keys(table) as Name[]
  const words = names.flatMap((name) => table[name])
  const kinds = names.map((name) => ({ name, exact: new RegExp(`^(?:${table[name].join('|')})$`, 'i') }))
  const known = new Map<string, Name | undefined>()
  const nameOf = (word: string) => {
    if (!known.has(word) && known.size < MAX_SPELLINGS)
      known.set(word, kinds.find(({ exact }) => exact.test(word))?.name)
    return known.has(word) ? known.get(word) : kinds.find(({ exact }) => exact.test(word))?.name
  }
  const patterns = patternsOf(words)
  return (text, at) => {
    const isIndented = INDENTS.has(text[at] ?? '')
    const indent = isIndented ? (matchAt(INDENT, text, at)?.[0] ?? '') : ''
    const start = at + indent.length
    const pattern = patterns.get(text[start] ?? '')
    const match = pattern ? matchAt(pattern, text, start) : null
    if (!match) return undefined
    const [all, heading, opened = '', word = '', closed, closedLate, colon] = match
    const name = nameOf(word)
    if (!name || (!colon && !matchAt(BLANK, text, start + all.length))) return undefined
    const end = start + all.length
    const open = closed || closedLate ? '' : opened
    const closes = open !== '' && text.startsWith(open, end)
    return {
      name,
      at,
      valueAt: closes ? end + open.length : end,
      indent: visibleLength(indent),
      capital: !/^[a-z]/.test(word),
      decorated: Boolean(heading || opened),
      mark: (heading ?? '').trim() + opened,
      colon: Boolean(colon),
      wrap: closes ? '' : open,
    }
  }
}

function visibleLength(indent: string): number {
  return indent === '' ? 0 : indent.replace(INVISIBLE, '').length
}

/**
 * The patterns of labels by first character, so that few are tried per line. Each is built on first use, because most
 * languages never occur.
 */
function patternsOf(words: string[]): { get(character: string): RegExp | undefined } {
  const made = new Map<string, RegExp>()
  let wordsBy: Map<string, string[]> | undefined
  return {
    get(character) {
      const known = made.get(character)
      if (known) return known
      wordsBy ??= byFirstLetter(words)
      const some = '#*_`'.includes(character) && character !== '' ? words : wordsBy.get(character)
      const pattern = some && labelPattern(some)
      if (pattern) made.set(character, pattern)
      return pattern
    },
  }
}

function byFirstLetter(words: string[]): Map<string, string[]> {
  const wordsBy = new Map<string, string[]>()
  for (const word of words)
    for (const letter of new Set(firstLetters(word))) {
      const same = wordsBy.get(letter)
      if (same) same.push(word)
      else wordsBy.set(letter, [word])
    }
  return wordsBy
}

function labelPattern(words: string[]): RegExp {
  return new RegExp(
    `(#{1,6}${GAP})?${MARK}(${words.join('|')})${GAP}${MARK}${GAP}${NUMBER}${GAP}${MARK}${GAP}([:：﹕])?`,
    'iy',
  )
}

/** The letters that a fragment may begin with. A leading group contributes each of its alternatives. */
function firstLetters(piece: string): string[] {
  const [all = '', alternatives = '', optional] = /^\(\?:([^)]*)\)(\?)?/.exec(piece) ?? []
  const begins = all === '' ? [piece] : [...alternatives.split('|'), ...(optional ? [piece.slice(all.length)] : [])]
  return begins.flatMap(([letter = '']) => [letter, letter.toUpperCase()])
}

/** Reads the labels of ReAct. */
export const reactLabel = labelReader(REACT)

/**
 * A labelled part of a turn. `fenced`: a code fence was already open, so the end of that fence ends the section too.
 */
export interface LabelledSection extends Label {
  fenced: boolean
  /** Whether its word is also common in prose (`Answer:`). */
  lone: boolean
}

/** Labels that models write twice if the prompt ends with one: `Action: Action: search`. */
const MAY_REPEAT = new Set<ReactLabel>(['thought', 'action', 'input'])

/** A bound on the labels read in one turn. */
const MAX_LABELS = 1000

/**
 * The labelled parts of a turn, in order. A lone `Input:` counts only right after an action, a lone `Tool:` only right
 * before an input. `Action: Final Answer: x` is an answer.
 */
export function sectionsOf(turn: string, labelAt: LabelReader = reactLabel): LabelledSection[] {
  const sections: LabelledSection[] = []
  let depth = 0
  for (let at = 0; at < turn.length && sections.length < MAX_LABELS; at = nextLine(turn, at)) {
    const fence = fenceAt(turn, at)
    if (fence) depth = depthAfter(depth, fence)
    const label = fence ? undefined : labelAt(turn, at)
    if (!label || (!label.colon && !label.decorated)) continue
    const lastName = sections.at(-1)?.name
    if (label.name === 'loneInput' && lastName !== 'action' && lastName !== 'loneAction') continue
    const inner = MAY_REPEAT.has(label.name) ? labelAt(turn, label.valueAt) : undefined
    const isInner = inner?.colon && (inner.name === label.name || (label.name === 'action' && inner.name === 'answer'))
    sections.push(sectionAt(label, isInner ? inner : label, depth > 0))
  }
  if (!sections.some(({ name }) => name in NAME_IN_CONTEXT)) return sections
  const hasStandard = sections.some(({ name }) => name === 'action' || name === 'answer')
  return sections.flatMap((one, i) => {
    if (one.name === 'loneAction' && (hasStandard || isQuoted(turn, sections, i))) return []
    return inContext(one, sections[i + 1])
  })
}

/**
 * Returns whether a tool's name and arguments are followed by prose or an answer: that describes the tool, and is not a
 * call.
 */
function isQuoted(turn: string, sections: LabelledSection[], at: number): boolean {
  const [input, next] = [sections[at + 1], sections[at + 2]]
  if (next?.name === 'loneAnswer') return true
  const value = input ? turn.slice(input.valueAt, next?.at).trim() : ''
  const end = argumentsEnd(value)
  return end !== undefined && /\n\s*[^\s`~]/.test(value.slice(end)) && next?.name !== 'observation'
}

/**
 * Returns where the arguments end that the text begins with (a JSON value, or a word for none). Undefined for any other
 * text.
 */
function argumentsEnd(value: string): number | undefined {
  const none = /^(?:none|null|n\/a)\b/i.exec(value)?.[0].length
  if (none !== undefined || !/^[{[]/.test(value)) return none
  const read = readLoose(value)
  return read.ok ? read.end : undefined
}

/** The section of a label. Its name and value come from the second label on the same line, if there is one. */
function sectionAt(label: Label, { name, valueAt }: Label, fenced: boolean): LabelledSection {
  const { at, indent, capital, decorated, mark, colon, wrap } = label
  // Listed field by field, because spreading a label costs more than reading it.
  return { name, at, valueAt, indent, capital, decorated, mark, colon, wrap, fenced, lone: false }
}

const NAME_IN_CONTEXT: Partial<Record<LabelledSection['name'], LabelledSection['name']>> = {
  loneInput: 'input',
  loneAnswer: 'answer',
  loneAction: 'action',
}

/** Names a lone section by its neighbours. Drops a lone `Tool:` without an input. */
function inContext(section: LabelledSection, next: LabelledSection | undefined): LabelledSection[] {
  const isInput = next?.name === 'input' || next?.name === 'loneInput'
  if (section.name === 'loneAction' && !isInput) return []
  const name = NAME_IN_CONTEXT[section.name]
  return [name ? { ...section, name, lone: true } : section]
}

/**
 * The text of a section up to `end`, without its indent, its decoration, and a closing fence that has no opening one.
 */
export function sectionText(turn: string, section: LabelledSection, end: number): string {
  const text = dedent(turn.slice(section.valueAt, end), section.indent).trimEnd()
  return tidy(unwrapped(tidy(withoutLooseFence(text)), section.wrap))
}

/** Drops a closing fence in the last line if its opening fence is not in this text. */
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

/** Drops decoration that opens before a label and closes the first line of its value (`**Action: Search**`). */
export function unwrapped(value: string, wrap: string): string {
  if (!wrap) return value
  const end = value.includes('\n') ? value.indexOf('\n') : value.length
  const line = value.slice(0, end).trimEnd()
  return line.endsWith(wrap) ? line.slice(0, -wrap.length) + value.slice(end) : value
}

/** Returns whether a label begins a step. Labels that are common words do not. */
export function opensStep({ name, lone }: LabelledSection): boolean {
  return (name === 'action' || name === 'input' || name === 'answer') && !lone
}
