/**
 * What encloses a quotation, whatever its language: quotation marks of all scripts, block quotes, list items beside
 * others, cells of tables, links, elements of HTML, and indented code.
 */

/** The call begins at `at` and ends before `end`. */
export interface WrittenSpan {
  at: number
  end: number
}

/** How much text around a call is read, in characters. */
const REACH = 2000

/** Returns whether the call stands inside a quotation. */
export function isEnclosed(text: string, span: WrittenSpan): boolean {
  const lineAt = text.lastIndexOf('\n', span.at - 1) + 1
  const before = text.slice(Math.max(0, span.at - REACH), span.at)
  const after = text.slice(span.end, span.end + REACH)
  const line = text.slice(lineAt, Math.max(span.at, lineAt + 20))
  if (isInLine(line, { before, after }) || isInQuotes(before, after) || isInElement(before, after)) return true
  return isIndentedCode(text.slice(Math.max(0, lineAt - REACH), lineAt), line)
}

/** A call in a block quote, in a cell, in a link, or in an item of a list with other items. */
function isInLine(line: string, { before, after }: { before: string; after: string }): boolean {
  const lead = before.slice(before.lastIndexOf('\n') + 1)
  if (
    /^\s{0,8}(?:>(?!>>)|``(?!`))/.test(line) ||
    /^\s{0,8}\|(?![|｜>])/.test(line) ||
    /[^\s|]\s{0,9}\t\s{0,9}$/.test(lead)
  )
    return true
  if (/\]\($/.test(before) || (/\[$/.test(before) && /\]\(/.test(after))) return true
  return ITEM.test(line) && (OTHER_ITEM.test(before.slice(0, before.length - lead.length)) || OTHER_ITEM.test(after))
}

const SIGN = '[ \\t]{0,8}(?:\\d{1,2}[.)]|[-*+•·–]|[\\u2460-\\u24ff])[ \\t]'
const ITEM = new RegExp(`^${SIGN}`, 'u')
/** An item with words. */
const OTHER_ITEM = new RegExp(`(?:^|\\n)${SIGN}{1,4}[\\p{L}\\p{N}"'“(]`, 'u')

/** Quotation marks with those that close them, by the customs of all languages. */
const CLOSED_BY: Record<string, string> = {
  ...{ '“': '”', '„': '“”', '‟': '”', '”': '”', '«': '»', '»': '«»', '‹': '›', '›': '‹›' },
  ...{ '‘': '’', '‚': '‘’', '‛': '’', '「': '」', '『': '』', '《': '》', '〈': '〉', '〝': '〞〟', '【': '】' },
  ...{ '﹁': '﹂', '﹃': '﹄', '〖': '〗', '〔': '〕', '＂': '＂', '"': '"', '（': '）' },
}
const MARKS = new RegExp(`[${Object.entries(CLOSED_BY).flat().join('')}]`, 'gu')
/** What stands before a mark that opens. Scripts without spaces need none. */
const BEFORE_OPENING = /[\s([{:：,，.。!?\u2e80-\u9fff\uac00-\ud7af\u3000-\u30ff]/u
/** Marks without a pair of their own, right before a call. */
const TYPED = /(?:^|[\s(（])(?:'{1,3}|`{2}(?!`)|["＂]{3}|["＂])\s{0,9}$/u

/** Returns whether quotation marks that open before the call close after it. */
function isInQuotes(before: string, after: string): boolean {
  if (TYPED.test(before)) return true
  const open: string[] = []
  for (const { 0: mark, index } of before.matchAll(MARKS)) {
    const closers = CLOSED_BY[open.at(-1) ?? ''] ?? ''
    if (closers.includes(mark)) open.pop()
    else if (mark in CLOSED_BY && (mark >= '\u3000' || index === 0 || BEFORE_OPENING.test(before[index - 1] ?? '')))
      open.push(mark)
  }
  return open.some((mark) => [...(CLOSED_BY[mark] ?? '')].some((closer) => after.includes(closer)))
}

const ELEMENT =
  'p|div|td|th|tr|table|li|ul|ol|dd|blockquote|q|cite|pre|span|b|i|em|strong|a|h[1-6]|html|body|section|article|footer|header|main|details|summary|samp|kbd|small|s|u|quote'
const TAGS = new RegExp(`<(/?)(${ELEMENT})(?:\\s[^<>]{0,200})?>`, 'giu')

/** Returns whether an element of a document, or a comment in HTML, opens before the call and closes after it. */
function isInElement(before: string, after: string): boolean {
  if (before.lastIndexOf('<!--') > before.lastIndexOf('-->') && after.includes('-->')) return true
  if (!before.includes('<') || !after.includes('</')) return false
  const open: string[] = []
  for (const [, slash, name = ''] of before.matchAll(TAGS)) {
    const tag = name.toLowerCase()
    if (!slash) open.push(tag)
    else if (open.includes(tag)) open.length = open.lastIndexOf(tag)
  }
  return open.some((tag) => after.toLowerCase().includes(`</${tag}>`))
}

/** Returns whether a line is code by its indent: four spaces, behind an empty line and prose without them. */
function isIndentedCode(above: string, line: string): boolean {
  return (
    /^(?: {4}|\t)/.test(line) && /\S[^\n]*\n[ \t]*\n$/.test(above) && !/(?:^|\n)(?: {4}|\t)[^\n]*\n\s*$/.test(above)
  )
}
