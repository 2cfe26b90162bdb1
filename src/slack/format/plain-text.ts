import type { Token, Tokens } from 'marked'
import { decodeEntities } from './escape.ts'

/** The words of parsed Markdown without its marks, for places that take no formatting. Not escaped. */
export function wordsOf(tokens: Token[]): string {
  return tokens.map(wordsOfOne).join('').replace(/\s+/g, ' ')
}

function wordsOfOne(token: Token): string {
  if (token.type === 'br' || /^<br\b/i.test(token.raw)) return ' '
  return 'tokens' in token && token.tokens ? wordsOf(token.tokens) : textOf(token)
}

function textOf(token: Token): string {
  const text: string = 'text' in token ? token.text : token.raw
  return token.type === 'codespan' ? text : decodeEntities(text)
}

/** A table has no mrkdwn form: its columns are aligned, for a code block. Links are written out, since none works there. */
export function tableText(token: Tokens.Table): string {
  const rows = [token.header, ...token.rows].map((row) =>
    row.map(({ tokens }) => tokens.map(cellWords).join('').trim()),
  )
  const widths = token.header.map((_, column) => rows.reduce((most, row) => Math.max(most, lengthOf(row[column])), 0))
  const line = (row: string[]) =>
    row.map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - lengthOf(cell)))).join(' | ')
  const rule = widths.map((width) => '-'.repeat(width)).join('-|-')
  return [line(rows[0] ?? []), rule, ...rows.slice(1).map(line)].map((text) => text.trimEnd()).join('\n')
}

function cellWords(token: Token): string {
  const words = wordsOf([token])
  return token.type === 'link' && words !== token.href ? `${words} (${decodeEntities(token.href)})` : words
}

function lengthOf(cell = ''): number {
  return [...cell].length
}
