/**
 * What encloses a quotation, whatever its language: quotation marks of all scripts, block quotes, list items beside
 * others, cells of tables, links, elements of documents, and indented code.
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
  return (
    isBetweenRules(text.slice(Math.max(0, lineAt - REACH), lineAt), after) ||
    isIndentedCode(text.slice(Math.max(0, lineAt - REACH), lineAt), line)
  )
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

const SIGN = '[ \\t]{0,8}(?:[(（]?(?:\\d{1,2}|[a-z])[.)）]|[-*+•·–]|[\\u2460-\\u24ff])[ \\t]'
const ITEM = new RegExp(`^${SIGN}`, 'u')
/** An item with words. */
const OTHER_ITEM = new RegExp(`(?:^|\\n)${SIGN}{1,4}[\\p{L}\\p{N}"'“(]`, 'u')

/** Quotation marks with those that close them, by the customs of all languages. */
const CLOSED_BY: Record<string, string> = {
  ...{ '“': '”', '„': '“”', '‟': '”', '”': '”', '«': '»', '»': '«»', '‹': '›', '›': '‹›' },
  ...{ '‘': '’', '‚': '‘’', '‛': '’', '「': '」', '『': '』', '《': '》', '〈': '〉', '〝': '〞〟', '【': '】' },
  ...{ '﹁': '﹂', '﹃': '﹄', '〖': '〗', '〔': '〕', '＂': '＂', '"': '"', '״': '״', '（': '）' },
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

/** Elements, and tags in brackets as in forums. */
const TAGS =
  /<(\/?)((?:[a-z]{1,12}:)?[a-z][\w-]{0,20})(?:\s[^<>]{0,200})?>|\[(\/?)(quote|code|pre|spoiler|list|url|available_tools|[biu])(?:=[^\]\n]{0,200})?\]/giu
/** Elements that models put around their own calls. */
const WRAPS_CALLS =
  /tool(?!.*(?:result|response|output))|func|call|invoke|action|input|param|arg|think|thought|thinking|reason|plan|step|react|turn|agent|assistant|answer|^(?:response|output|json|code|python|xml|root|message|content|s|scratchpad|execute|command|request)$/iu

/** Returns whether an element of a document, a comment or CDATA opens before the call and closes after it. */
function isInElement(before: string, after: string): boolean {
  if (OTHERS.some(([open, close]) => before.lastIndexOf(open) > before.lastIndexOf(close) && after.includes(close)))
    return true
  if (!/[<[]/.test(before) || !/<\/|\[\//.test(after)) return false
  const open: string[] = []
  for (const [, slash, element, slashed, forum] of before.matchAll(TAGS)) {
    const tag = (element ?? `[${forum}`).toLowerCase()
    if (!slash && !slashed) open.push(tag)
    else if (open.includes(tag)) open.length = open.lastIndexOf(tag)
  }
  const closed = after.toLowerCase()
  return open.some((tag) =>
    tag.startsWith('[')
      ? closed.includes(`[/${tag.slice(1)}]`)
      : !WRAPS_CALLS.test(tag) && closed.includes(`</${tag}>`),
  )
}

const OTHERS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
] as const

/** Returns whether a rule with a text above it precedes the line, and one with a text below it follows the call. */
function isBetweenRules(above: string, after: string): boolean {
  return /\S[^\n]*\n[ \t]*(?:-{3,}|={3,})[ \t]*\n$/.test(above) && /\n[ \t]*(?:-{3,}|={3,})[ \t]*\n\s*\S/.test(after)
}

/** Returns whether a line is code by its indent: four spaces, behind an empty line and prose without them. */
function isIndentedCode(above: string, line: string): boolean {
  return (
    /^(?: {4}|\t)/.test(line) && /\S[^\n]*\n[ \t]*\n$/.test(above) && !/(?:^|\n)(?: {4}|\t)[^\n]*\n\s*$/.test(above)
  )
}
