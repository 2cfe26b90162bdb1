/**
 * A label is what opens a part of a ReAct turn: `Thought:`, `Action Input:`, `观察：`. Models write them in bold, as
 * headings, in any case, numbered, indented, with a space before the colon, with a full-width colon.
 * Only what stands at the beginning of a line is a label; the same words inside a sentence are prose.
 */

export type ReactLabel = 'thought' | 'action' | 'input' | 'loneInput' | 'observation' | 'answer' | 'question'

/** A label as found: where its line begins, and where its value does. */
export interface Label<Name extends string = ReactLabel> {
  name: Name
  /** Offset of its line, and of the first character after the label. */
  at: number
  valueAt: number
  /** Its indent in visible characters. */
  indent: number
  /** False where it is written in lower case. */
  capital: boolean
  /** A heading or bold: such a label needs no colon when it stands alone on its line. */
  decorated: boolean
  colon: boolean
  /** What was opened before the label and not closed after it (`**Action: Search**`): the value ends with it. */
  wrap: string
}

/** Reads the label that the line at `at` begins with, if any. Looks at no other line. */
export type LabelReader<Name extends string = ReactLabel> = (text: string, at: number) => Label<Name> | undefined

// No two neighbours below can fight over the same characters without a bound, so a failing match costs linear time.
const SPACE = '[ \\t\\u00a0\\u3000\\u200b-\\u200d\\u2060\\ufeff]'
const GAP = `${SPACE}{0,4}`
const PART = `(?:${SPACE}|[_-]){0,3}`
const MARK = '([*_`]{1,3})?'
const NUMBER = '(?:[#(（]?\\d{1,4}[)）]?)?'
const INDENT = new RegExp(`${SPACE}+`, 'y')
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g
const BLANK = new RegExp(`${SPACE}*\\r?(?:\\n|$)`, 'y')

/** The labels of ReAct in the languages of the facts, longest first: pieces of a regular expression without groups. */
export const REACT: Record<ReactLabel, string[]> = {
  thought: ['thoughts?', '思考', '想法'],
  input: [
    `action${PART}\\d{1,4}${PART}input`,
    `action${PART}input`,
    `tool${PART}input`,
    '行动输入',
    '动作输入',
    '行動輸入',
    '動作輸入',
  ],
  action: ['action', '行动', '动作', '行動', '動作'],
  observation: ['observation', '观察结果', '观察', '觀察結果', '觀察'],
  answer: [`final${PART}answer`, '最终答案', '最終答案', '最终回答'],
  question: ['question', '问题', '問題'],
  loneInput: ['input', '输入', '輸入'],
}

/** Makes the reader of a table of labels. */
export function labelReader<Name extends string>(table: Record<Name, string[]>): LabelReader<Name> {
  const names = Object.keys(table) as Name[]
  const words = names.flatMap((name) => table[name])
  const kinds = names.map((name) => ({ name, exact: new RegExp(`^(?:${table[name].join('|')})$`, 'i') }))
  const starts = new Set(['#', '*', '_', '`', ...words.flatMap(([char = '']) => [char, char.toUpperCase()])])
  const pattern = new RegExp(
    `(#{1,6}${GAP})?${MARK}(${words.join('|')})${GAP}${MARK}${GAP}${NUMBER}${GAP}${MARK}${GAP}([:：﹕])?`,
    'iy',
  )
  return (text, at) => {
    const indent = text[at] === '\n' ? '' : (matchAt(INDENT, text, at)?.[0] ?? '')
    const start = at + indent.length
    const match = starts.has(text[start] ?? '') ? matchAt(pattern, text, start) : null
    if (!match) return undefined
    const [all, , , word = '', , , colon] = match
    const name = kinds.find(({ exact }) => exact.test(word))?.name
    if (!name || (!colon && !matchAt(BLANK, text, start + all.length))) return undefined
    return { name, at, indent: indent.replace(INVISIBLE, '').length, ...formOf(text, start, match) }
  }
}

/** How a matched label is written, and where its value begins. */
function formOf(text: string, start: number, match: RegExpExecArray): Omit<Label, 'name' | 'at' | 'indent'> {
  const [all, heading, opened = '', word = '', closed, closedLate, colon] = match
  const end = start + all.length
  const open = closed || closedLate ? '' : opened
  const closes = open !== '' && text.startsWith(open, end)
  return {
    valueAt: closes ? end + open.length : end,
    capital: !/^[a-z]/.test(word),
    decorated: Boolean(heading || opened),
    colon: Boolean(colon),
    wrap: closes ? '' : open,
  }
}

/** The labels of ReAct. */
export const reactLabel = labelReader(REACT)

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}
