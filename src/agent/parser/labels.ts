/**
 * What counts as a label. A label opens a part of a ReAct turn: `Thought:`, `Action Input:`, `观察：`. Models write them in
 * bold, as headings, in any case, numbered, indented, with a space before the colon, with a full-width colon.
 * Only what stands at the beginning of a line is a label; the same words inside a sentence are prose.
 */

export type ReactLabel =
  'thought' | 'action' | 'input' | 'observation' | 'answer' | 'question' | 'loneInput' | 'loneAction' | 'loneAnswer'

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
  /** The heading's signs or the decoration before it: the labels of one turn are written alike. */
  mark: string
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
const INDENTS = new Set(' \t\u00a0\u3000\u200b\u200c\u200d\u2060\ufeff')
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g
const BLANK = new RegExp(`${SPACE}*\\r?(?:\\n|$)`, 'y')

/**
 * The labels of ReAct in the languages that models answer in: pieces of a regular expression without groups, with a comma
 * and a space between them. The lone ones are common words, which are labels only in the right company.
 */
export const REACT: Record<ReactLabel, string[]> = {
  thought: pieces(
    'thoughts?, 思考, 想法, 思路, 생각, 사고, gedanke, pensée, réflexion, pensamiento, pensamento, pensiero, мысль, ' +
      'размышление, gedachte, myśl, düşünce, suy nghĩ',
  ),
  input: pieces(
    `action${PART}\\d{1,4}${PART}input, (?:action|tool)${PART}(?:input|args|arguments?|param(?:eter)?s?), ` +
      '(?:行动|动作|操作|工具)(?:的?输入|参数), (?:行動|動作|操作|工具)(?:の?入力|輸入|參數), (?:アクション|ツール)の?入力, ' +
      '(?:행동|액션|도구|작업) ?입력, aktionseingabe, aktions-?input, eingabe der aktion, ' +
      "entrée (?:de l['’]action|d['’]action|de l['’]outil), entrada de (?:la )?acción, entrada da ação, " +
      "input dell['’]azione, actie-?invoer, dane wejściowe akcji, ввод(?:ные данные)? действия, " +
      'входные данные(?: действия)?, eylem girdisi, đầu vào hành động',
  ),
  action: pieces(
    '(?:next )?action(?: name| to take)?, 行动, 动作, 行動, 動作, アクション, 행동, 액션, aktion, acción, ação, azione, ' +
      'действие, actie, akcja, eylem, hành động',
  ),
  observation: pieces(
    'observation, 观察结果, 观察, 觀察結果, 觀察, 観察結果, 観察, 관찰, beobachtung, observación, observação, osservazione, ' +
      'наблюдение, observatie, obserwacja, gözlem, quan sát',
  ),
  answer: pieces(
    `final${PART}(?:answer|response), 最[终後后終](?:答案|回答|答复), 最終的な(?:答え|回答), 최종 ?답변?, ` +
      '(?:endgültige|finale|abschließende) antwort, réponse finale, respuesta final, resposta final, risposta finale, ' +
      '(?:окончательный|финальный|итоговый) ответ, (?:definitieve?|uiteindelijke) antwoord, ' +
      '(?:ostateczna|końcowa) odpowiedź, (?:nihai|son) cevap, câu trả lời cuối cùng',
  ),
  question: pieces('question, 问题, 問題, 質問, 질문, frage, pregunta, pergunta, domanda, вопрос, vraag'),
  loneInput: pieces('input, 输入, 輸入, 入力, 입력, eingabe, entrée, entrada, ввод, arg(?:ument)?s, param(?:eter)?s'),
  loneAction: pieces('tool(?: name)?, 工具, ツール, 도구'),
  loneAnswer: pieces(
    'answer, (?:the )?final answer is, 答案, 回答, 答え, 답변, 정답, antwort, réponse, respuesta, resposta, risposta, ответ, ' +
      'antwoord, odpowiedź, cevap',
  ),
}

function pieces(list: string): string[] {
  return list.split(', ')
}

/** As many spellings of labels are remembered; a turn has a few. */
const MOST_SPELLINGS = 500

/** Makes the reader of a table of labels. */
export function labelReader<Name extends string>(table: Record<Name, string[]>): LabelReader<Name> {
  const names = Object.keys(table) as Name[]
  const words = names.flatMap((name) => table[name])
  const kinds = names.map((name) => ({ name, exact: new RegExp(`^(?:${table[name].join('|')})$`, 'i') }))
  const known = new Map<string, Name | undefined>()
  const nameOf = (word: string) => {
    if (!known.has(word) && known.size < MOST_SPELLINGS)
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

/** What a label looks like, by the character that it begins with: few words begin alike, so few are tried. */
function patternsOf(words: string[]): Map<string, RegExp> {
  const pattern = (some: string[]) =>
    new RegExp(
      `(#{1,6}${GAP})?${MARK}(${some.join('|')})${GAP}${MARK}${GAP}${NUMBER}${GAP}${MARK}${GAP}([:：﹕])?`,
      'iy',
    )
  const letters = new Set(words.flatMap(firstLetters))
  const decorated = pattern(words)
  return new Map([
    ...[...letters].map(
      (letter) => [letter, pattern(words.filter((word) => firstLetters(word).includes(letter)))] as const,
    ),
    ...['#', '*', '_', '`'].map((mark) => [mark, decorated] as const),
  ])
}

/** The letters that a piece of the table may begin with: those of each alternative of a group that comes first. */
function firstLetters(piece: string): string[] {
  const [all = '', alternatives = '', optional] = /^\(\?:([^)]*)\)(\?)?/.exec(piece) ?? []
  const begins = all === '' ? [piece] : [...alternatives.split('|'), ...(optional ? [piece.slice(all.length)] : [])]
  return begins.flatMap(([letter = '']) => [letter, letter.toUpperCase()])
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}

/** The labels of ReAct. */
export const reactLabel = labelReader(REACT)

const TAG = '</?(?:b|strong|i|em|u|p|li|ul|ol|span|div|h[1-6]|code|mark|br|font)\\b[^<>]{0,60}>'
const BULLET = '(?:[-+*•●▪◦‣·–—►▶→➤➜»>]{1,2}|[①-⑳])(?=[ \\t])'
const ORDINAL = '(?:step ?)?(?:\\d{1,2}|[a-z]|[ivx]{1,4})[.):、-]|\\(\\d{1,2}\\)|\\d\\ufe0f?\\u20e3|第\\d{1,2}步[：:]?'
const EMOJI = '(?:(?!\\d)\\p{Extended_Pictographic}[\\ufe0f\\u200d\\p{Emoji_Modifier}]*){1,4}'
const LISTED = new RegExp(
  `^([ \\t]{0,16})(#{1,6} )?([*_\`]{0,3})(?:(?:${BULLET}|${ORDINAL}|${EMOJI})[ \\t]{0,4}){1,3}`,
  'iu',
)
const HTML = new RegExp(
  `^[ \\t]{0,16}(?:${TAG}[ \\t]{0,4}){1,4}([^<>\\n]{1,40})(?:${TAG}){0,3}([ \\t]{0,3}[:：])?(?:${TAG}){0,3}`,
  'i',
)
const HTML_END = new RegExp(`(?:[ \\t]{0,4}${TAG}){1,4}\\s{0,16}$`, 'i')
const BRACKETED =
  /^[ \t]{0,16}([*_`]{0,3})(?:\[([^\][\n]{1,40})\]|【([^【】\n]{1,40})】|「([^「」\n]{1,40})」|\(([^()\n]{1,40})\)|<([^<>/\n]{1,40})>(?=[ \t]*[:：\n]))[*_`]{0,3}[ \t]{0,3}[:：]?/
const PARTED =
  /^[ \t]{0,16}[*_`]{0,3}([\p{L}][\p{L}\p{N} _'’]{1,30}?)[*_`]{0,3} {0,2}(?:[=-]>|→|⇒|=|-|–|—|\|)[ \t]{1,4}/u

/** A line of another style in the plain one; undefined for a line that is not in that style. */
type PlainLine = (line: string) => string | undefined

/**
 * The styles of labels besides the plain one: list items with bullets, numbers or emoji, HTML, brackets, another sign in
 * place of the colon. Such a line may be prose, so it counts only where all labels of a turn are in one style
 * (`plainLabels` of `sections.ts`).
 */
export const LABEL_STYLES: PlainLine[] = [
  (line) => replaceStart(line, LISTED, ([, indent = '', heading = '', bold = '']) => indent + heading + bold),
  (line) =>
    replaceStart(line, HTML, ([, label = '']) => `${label.trim().replace(/[:：]$/, '')}:`)?.replace(HTML_END, ''),
  (line) => replaceStart(line, BRACKETED, ([, , ...labels]) => `${labels.find(Boolean) ?? ''}:`),
  (line) => replaceStart(line, PARTED, ([, label = '']) => `${label}: `),
]

/** No label with all that stands around it is longer. */
const LONGEST_LABEL = 160

/** The line with what `pattern` matches at its beginning replaced. */
function replaceStart(
  line: string,
  pattern: RegExp,
  replacement: (match: RegExpExecArray) => string,
): string | undefined {
  const match = pattern.exec(line.slice(0, LONGEST_LABEL))
  return match ? replacement(match) + line.slice(match[0].length) : undefined
}

const ANSWER_TAG = /^(?:final[ _-]?)?answer$/i
const LABEL_TAG = /<(\/?)([a-z][a-z _-]{2,20})>/gi

/**
 * `<action>search</action><action_input>x</action_input>`: labels as tags become labels on lines of their own. Each tag
 * must be closed; an answer's may be cut off by `stop`.
 */
export function labelsOfTags(text: string): string {
  if (!text.includes('<')) return text
  const closed = new Set([...text.matchAll(/<\/([a-z][a-z _-]{2,20})>/gi)].map(([, name = '']) => name.toLowerCase()))
  return text.replace(LABEL_TAG, (tag: string, slash: string, name: string) => {
    if (!(closed.has(name.toLowerCase()) || ANSWER_TAG.test(name)) || !reactLabel(`${name}:`, 0)) return tag
    return slash ? '\n' : `\n${name}:`
  })
}
