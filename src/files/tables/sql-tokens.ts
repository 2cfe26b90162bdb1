/** Reads SQL as tokens, to refuse what SQLite would answer wrongly without a word, and to divide exactly. */
import type { ColumnType, LoadedTable } from './types.ts'

interface SqlToken {
  kind: 'text' | 'name' | 'number' | 'sign'
  /** As it is written; `value` is without its quotes. */
  written: string
  value: string
  /** The spaces and comments before it. */
  before: string
}

const TOKEN =
  /((?:\s+|--[^\n]*(?:\n|$)|\/\*[^]*?(?:\*\/|$))*)(?:('(?:[^']|'')*(?:'|$))|("(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$)|[\p{L}_][\p{L}\p{N}_$]*)|(0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)|(<=|>=|<>|!=|==|\|\||->>?|<<|>>|[^])|$)/giuy

export function tokensOf(sql: string): SqlToken[] {
  const tokens: SqlToken[] = []
  TOKEN.lastIndex = 0
  for (let found = TOKEN.exec(sql); found; found = TOKEN.exec(sql)) {
    const [, before = '', text, name, number, sign] = found
    if ((text ?? name ?? number ?? sign) === undefined) break
    if (text !== undefined)
      tokens.push({ kind: 'text', written: text, value: text.slice(1, -1).replaceAll("''", "'"), before })
    else if (name !== undefined) {
      const value = /^["`[]/.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name
      tokens.push({ kind: 'name', written: name, value, before })
    } else {
      const written = number ?? sign ?? ''
      tokens.push({ kind: number === undefined ? 'sign' : 'number', written, value: written, before })
    }
  }
  return tokens
}

/** Returns why it is not one question; undefined if it is. */
export function notOneSelect(tokens: readonly SqlToken[]): string | undefined {
  const end = tokens.findIndex(({ written }) => written === ';')
  if (end >= 0 && tokens.slice(end).some(({ written }) => written !== ';'))
    return 'Only one SQL statement is run at a time.'
  return /^(?:select|with|values)$/i.test(tokens[0]?.written ?? '')
    ? undefined
    : 'Only SELECT is run: the tables cannot be changed.'
}

/** Returns the SQL whose divisions keep their fractions: in SQLite, 1/2 is 0. */
export function withExactDivision(tokens: readonly SqlToken[]): string {
  return tokens
    .map(({ before, written }) => `${before.replace(/[^\n]+/g, ' ')}${written === '/' ? '*1.0/' : written}`)
    .join('')
}

const ARITHMETIC = /^[-+*/%]$/
const COMPARISON = /^(?:[<>=]|<=|>=|<>|!=|==)$/
const NUMBERS = new Set<ColumnType>(['whole', 'decimal', 'boolean'])

const SET_WORD = /^(?:union|intersect|except)$/

/** The stars of the select before or behind a set word, in its own brackets. */
function starsToward(words: readonly string[], at: number, step: 1 | -1): number[] {
  const [opens, closes] = step === 1 ? ['(', ')'] : [')', '(']
  const found: number[] = []
  let depth = 0
  for (let i = at + step; i >= 0 && i < words.length; i += step) {
    const word = words[i]!
    if (word === closes && (depth -= 1) < 0) break
    if (word === opens) depth += 1
    if (depth > 0) continue
    if (SET_WORD.test(word)) break
    if (word === '*') found.push(i)
  }
  return found
}

/**
 * Returns a sentence on what would count wrongly: `_row` differs in every row, and `main.` is read in one order only.
 */
function wrongRows(tokens: readonly SqlToken[]): string | undefined {
  const words = tokens.map(({ kind, written }) => (kind === 'name' || kind === 'sign' ? written.toLowerCase() : ''))
  const isStar = (i: number) => words[i] === '*' && /^(?:select|distinct|,|\.)$/.test(words[i - 1] ?? '')
  const isOfAll = words.some((word, i) => word === 'distinct' && (isStar(i + 1) || isStar(i + 3)))
  const sets = [...words.keys()].filter((i) => SET_WORD.test(words[i]!) && words[i + 1] !== 'all')
  const isNatural = words.some(
    (word, i) => word === 'natural' && /^(?:join|left|inner|right|full|cross)$/.test(words[i + 1] ?? ''),
  )
  if (isNatural) return 'NATURAL JOIN also joins by _row: name the columns with USING or ON.'
  if (isOfAll || sets.some((at) => ([-1, 1] as const).some((step) => starsToward(words, at, step).some(isStar))))
    return '* also has _row, which differs in every row, so no two rows are the same: name the columns.'
  const isSchema = words.some(
    (word, i) => /^(?:main|temp)$/.test(word) && words[i + 1] === '.' && /^(?:from|join|,)$/.test(words[i - 1] ?? ''),
  )
  return isSchema ? 'Only tables by their plain names are read, without main. or temp.' : undefined
}

/** Returns a sentence on a column that is used against its type, and on rows that would be counted wrongly. */
export function wrongUse(tokens: readonly SqlToken[], tables: readonly LoadedTable[]): string | undefined {
  const rows = wrongRows(tokens)
  if (rows !== undefined) return rows
  const types = typesIn(tokens, tables)
  for (const [i, token] of tokens.entries()) {
    const type = token.kind === 'name' ? types.get(token.value.toLowerCase()) : undefined
    const next = tokens[i + 1]
    if (type === undefined || next?.written === '.' || next?.written === '(') continue
    const isQualified = tokens[i - 1]?.written === '.'
    const before = tokens[i - (isQualified ? 3 : 1)]
    const fault =
      calculated(token.written, type, [before, next]) ??
      castTo(token.written, type, tokens.slice(Math.max(0, i - (isQualified ? 4 : 2)), i + 3)) ??
      compared(token.written, type, [next, tokens[i + 2]]) ??
      compared(token.written, type, [before, tokens[i - (isQualified ? 4 : 2)]])
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * Returns the types of columns that are the same in all tables of the SQL. A name that the SQL gives itself is left
 * out.
 */
function typesIn(tokens: readonly SqlToken[], tables: readonly LoadedTable[]): Map<string, ColumnType> {
  const types = new Map<string, ColumnType | undefined>()
  for (const { columns } of tables)
    for (const { name, type } of columns) {
      const key = name.toLowerCase()
      types.set(key, !types.has(key) || types.get(key) === type ? type : undefined)
    }
  for (const [i, { written }] of tokens.entries())
    if (/^as$/i.test(written)) types.delete(tokens[i + 1]?.value.toLowerCase() ?? '')
  return new Map(
    [...types].flatMap(([name, type]): [string, ColumnType][] => (type === undefined ? [] : [[name, type]])),
  )
}

function calculated(name: string, type: ColumnType, around: (SqlToken | undefined)[]): string | undefined {
  const isUsed = around.some((token) => token?.kind === 'sign' && ARITHMETIC.test(token.written))
  if (!isUsed || NUMBERS.has(type)) return undefined
  if (type === 'date') return `${name} has dates, which are text in SQL. Use julianday(${name}) to calculate with days.`
  return `${name} is ${type === 'time' ? 'a time' : 'text'}, so it cannot be calculated with. number(${name}) reads its numbers; others become empty.`
}

function castTo(name: string, type: ColumnType, around: (SqlToken | undefined)[]): string | undefined {
  const words = around.map((token) => token?.written.toLowerCase() ?? '')
  const isCast = words[0] === 'cast' && /\bas (?:int|real|num|dec|float|double)/.test(words.join(' '))
  if (!isCast || NUMBERS.has(type)) return undefined
  return `cast() reads "1,234" as 1. ${name} is text: number(${name}) reads its numbers; others become empty.`
}

const ISO_BEGIN = /^\d{4}(?:-\d{2}(?:-\d{2}(?:[ T]\d{2}(?::\d{2}(?::\d{2})?)?)?)?)?[-%]*$/

function compared(name: string, type: ColumnType, [sign, value]: (SqlToken | undefined)[]): string | undefined {
  if (!sign || !value || !COMPARISON.test(sign.written)) return undefined
  if (value.kind === 'number') {
    if (type === 'text') return `${name} is text: compare it with '${value.written}' in quotes, or use number(${name}).`
    if (type === 'date' || type === 'time')
      return `${name} has ${type}s: compare it with text such as ${type === 'date' ? "'2024-01-31'" : "'08:30:00'"}.`
  }
  if (value.kind !== 'text') return undefined
  if (type === 'boolean') return `${name} is 1 for yes and 0 for no: compare it with 1 or 0.`
  if (NUMBERS.has(type) && !/^-?\d+(?:\.\d+)?$/.test(value.value))
    return `${name} has numbers: compare it with a number such as 1234.5, without quotes.`
  if (type === 'date' && !ISO_BEGIN.test(value.value))
    return `${name} has dates such as '2024-01-31': write the date you compare it with in this form.`
  return undefined
}
