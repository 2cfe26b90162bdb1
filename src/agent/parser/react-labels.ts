/**
 * A label is what opens a part of a ReAct turn: `Thought:`, `Action Input:`, `观察：`. Models write them in bold, as
 * headings, in any case, numbered, indented, with a space before the colon, with a full-width colon.
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
  /** The heading's signs or the decoration before it: labels of one turn are in one hand. */
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
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g
const BLANK = new RegExp(`${SPACE}*\\r?(?:\\n|$)`, 'y')

/**
 * The labels of ReAct in the languages that models answer in: pieces of a regular expression without groups. The lone ones
 * are common words, which are labels only in the right company.
 */
export const REACT: Record<ReactLabel, string[]> = {
  thought: [
    ...[
      'thoughts?',
      '思考',
      '想法',
      '思路',
      '생각',
      '사고',
      'gedanke',
      'pensée',
      'réflexion',
      'pensamiento',
      'pensamento',
    ],
    ...['pensiero', 'мысль', 'размышление', 'gedachte', 'myśl', 'düşünce', 'suy nghĩ'],
  ],
  input: [
    ...[`action${PART}\\d{1,4}${PART}input`, `(?:action|tool)${PART}(?:input|args|arguments?|param(?:eter)?s?)`],
    ...['(?:行动|动作|操作|工具)(?:的?输入|参数)', '(?:行動|動作|操作|工具)(?:の?入力|輸入|參數)'],
    ...['(?:アクション|ツール)の?入力', '(?:행동|액션|도구|작업) ?입력'],
    ...[
      'aktionseingabe',
      'aktions-?input',
      'eingabe der aktion',
      "entrée (?:de l['’]action|d['’]action|de l['’]outil)",
    ],
    ...[
      'entrada de (?:la )?acción',
      'entrada da ação',
      "input dell['’]azione",
      'actie-?invoer',
      'dane wejściowe akcji',
    ],
    ...['ввод(?:ные данные)? действия', 'входные данные(?: действия)?', 'eylem girdisi', 'đầu vào hành động'],
  ],
  action: [
    ...[
      '(?:next )?action(?: name| to take)?',
      '行动',
      '动作',
      '行動',
      '動作',
      'アクション',
      '행동',
      '액션',
      'aktion',
      'acción',
    ],
    ...['ação', 'azione', 'действие', 'actie', 'akcja', 'eylem', 'hành động'],
  ],
  observation: [
    ...[
      'observation',
      '观察结果',
      '观察',
      '觀察結果',
      '觀察',
      '観察結果',
      '観察',
      '관찰',
      'beobachtung',
      'observación',
    ],
    ...['observação', 'osservazione', 'наблюдение', 'observatie', 'obserwacja', 'gözlem', 'quan sát'],
  ],
  answer: [
    ...[`final${PART}(?:answer|response)`, '最[终後后終](?:答案|回答|答复)', '最終的な(?:答え|回答)', '최종 ?답변?'],
    ...['(?:endgültige|finale|abschließende) antwort', 'réponse finale', 'respuesta final', 'resposta final'],
    ...['risposta finale', '(?:окончательный|финальный|итоговый) ответ', '(?:definitieve?|uiteindelijke) antwoord'],
    ...['(?:ostateczna|końcowa) odpowiedź', '(?:nihai|son) cevap', 'câu trả lời cuối cùng'],
  ],
  question: ['question', '问题', '問題', '質問', '질문', 'frage', 'pregunta', 'pergunta', 'domanda', 'вопрос', 'vraag'],
  loneInput: [
    'input',
    '输入',
    '輸入',
    '入力',
    '입력',
    'eingabe',
    'entrée',
    'entrada',
    'ввод',
    'arg(?:ument)?s',
    'param(?:eter)?s',
  ],
  loneAction: ['tool(?: name)?', '工具', 'ツール', '도구'],
  loneAnswer: [
    ...[
      'answer',
      '(?:the )?final answer is',
      '答案',
      '回答',
      '答え',
      '답변',
      '정답',
      'antwort',
      'réponse',
      'respuesta',
    ],
    ...['resposta', 'risposta', 'ответ', 'antwoord', 'odpowiedź', 'cevap'],
  ],
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
    const indent = text[at] === '\n' ? '' : (matchAt(INDENT, text, at)?.[0] ?? '')
    const start = at + indent.length
    const pattern = patterns.get(text[start] ?? '')
    const match = pattern ? matchAt(pattern, text, start) : null
    if (!match) return undefined
    const [all, , , word = '', , , colon] = match
    const name = nameOf(word)
    if (!name || (!colon && !matchAt(BLANK, text, start + all.length))) return undefined
    return { name, at, indent: indent.replace(INVISIBLE, '').length, ...formOf(text, start, match) }
  }
}

/** What a label looks like, by the character that it begins with: few words begin alike, so few are tried. */
function patternsOf(words: string[]): Map<string, RegExp> {
  const pattern = (some: string[]) =>
    new RegExp(
      `(#{1,6}${GAP})?${MARK}(${some.join('|')})${GAP}${MARK}${GAP}${NUMBER}${GAP}${MARK}${GAP}([:：﹕])?`,
      'iy',
    )
  const byLetter = new Map<string, Set<string>>()
  for (const word of words)
    for (const letter of firstLetters(word)) byLetter.set(letter, (byLetter.get(letter) ?? new Set()).add(word))
  const decorated = pattern(words)
  return new Map([
    ...[...byLetter].map(([letter, some]) => [letter, pattern([...some])] as const),
    ...['#', '*', '_', '`'].map((mark) => [mark, decorated] as const),
  ])
}

/** The letters that a piece of the table may begin with: those of each alternative of a group that comes first. */
function firstLetters(piece: string): string[] {
  const [all = '', alternatives = '', optional] = /^\(\?:([^)]*)\)(\?)?/.exec(piece) ?? []
  const begins = all === '' ? [piece] : [...alternatives.split('|'), ...(optional ? [piece.slice(all.length)] : [])]
  return begins.flatMap(([letter = '']) => [letter, letter.toUpperCase()])
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
    mark: (heading ?? '').trim() + opened,
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
