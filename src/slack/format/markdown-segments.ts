/** Maximum length of a segment in UTF-16 units. */
const SEGMENT_CHARS = 2000

export interface Segment {
  markdown: string
  /** The boundary before it: a block's end, or a cut between two lines, rows or words of one block. */
  after: 'block' | 'line' | 'row' | 'word'
}

/**
 * Cuts Markdown into segments that are lexed one by one, so that the quadratic parts of `marked` run over at most two
 * thousand characters. It cuts between two blocks, else between two lines, else between two words. A code block that is
 * longer than a segment stays whole, because it is lexed in linear time. A longer table is cut between rows into
 * several with the same head.
 */
export function segmentsOf(markdown: string): Segment[] {
  const segments: Segment[] = []
  let next: Cut = { end: 0, after: 'block', head: '' }
  while (markdown.length - next.end > SEGMENT_CHARS) {
    const cut = cutAfter(markdown, next)
    segments.push({ markdown: next.head + markdown.slice(next.end, cut.end), after: next.after })
    next = cut
  }
  return [...segments, { markdown: next.head + markdown.slice(next.end), after: next.after }]
}

interface Cut {
  end: number
  after: Segment['after']
  /** The head of the table that is cut; empty outside a table. */
  head: string
}

/** Returns the last good cut in the window, but not in its first quarter, which would leave many small segments. */
function cutAfter(markdown: string, { end: start, head: before }: Cut): Cut {
  const max = start + SEGMENT_CHARS
  const min = start + SEGMENT_CHARS / 4
  let [block, line]: (Cut | undefined)[] = []
  let [isAfterBlank, head] = [false, before]
  for (let at = start; at < max;) {
    const fence = fenceEnd(markdown, at)
    const end = fence ?? headEnd(markdown, at) ?? lineEnd(markdown, at)
    if (fence !== undefined && fence > max) return { end: at === start ? fence : at, after: 'block', head: '' }
    if (markdown[at] !== '|') head = ''
    if (at > min && isAfterBlank && !CONTINUES.test(markdown.slice(at, at + 8)))
      block = { end: at, after: 'block', head }
    else if (at > min && markdown[at] !== ' ') line = { end: at, after: head === '' ? 'line' : 'row', head }
    if (end > lineEnd(markdown, at) && fence === undefined) head = markdown.slice(at, end)
    isAfterBlank = fence !== undefined || markdown.slice(at, Math.min(end, at + 200)).trim() === ''
    at = end
  }
  return block ?? line ?? betweenWords(markdown, start)
}

/** A line after a blank one that still belongs to the list or quote before it: indented, an item, or a quote. */
const CONTINUES = /^(?:[ \t]|[-*+>]|\d{1,6}[.)])/

function lineEnd(markdown: string, at: number): number {
  const end = markdown.indexOf('\n', at)
  return end < 0 ? markdown.length : end + 1
}

/** Cuts between words, and avoids cutting a link if it can cut before it. */
function betweenWords(markdown: string, start: number): Cut {
  const max = start + SEGMENT_CHARS
  const min = start + SEGMENT_CHARS / 4
  const link = markdown.lastIndexOf('[', max - 1)
  const isOpen = link > min && !/^[^\]]*\](?!\([^)]*$|$)/.test(markdown.slice(link, max))
  const space = markdown.lastIndexOf(' ', (isOpen ? link : max) - 1)
  const isLow = markdown.charCodeAt(max) >= 0xdc00 && markdown.charCodeAt(max) <= 0xdfff
  const end = isOpen ? link : space > Math.max(min, link) ? space + 1 : isLow ? max - 1 : max
  return { end, after: 'word', head: '' }
}

const FENCE = /([ \t]*)(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})[^\n]*(?:\n|$)/y

/** Returns the end of the code block that begins here, if one does. In a list item it searches only nearby. */
function fenceEnd(markdown: string, start: number): number | undefined {
  FENCE.lastIndex = start
  const [, indent = '', mark] = FENCE.exec(markdown) ?? []
  if (mark === undefined) return undefined
  const max = /^ {0,3}$/.test(indent) ? markdown.length : Math.min(markdown.length, start + SEGMENT_CHARS / 4)
  for (let at = FENCE.lastIndex; at < max;) {
    const end = lineEnd(markdown, at)
    const line = markdown.slice(at, end).trim()
    if (line.length >= mark.length && line === mark.charAt(0).repeat(line.length)) return end
    at = end
  }
  return max === markdown.length ? max : undefined
}

const TABLE_HEAD = /\|[^\n]{1,800}\n\|? *:?-[-:| ]{0,800}(?:\n|$)/y

/** Returns the end of the first two lines of the table that begins here. */
function headEnd(markdown: string, at: number): number | undefined {
  TABLE_HEAD.lastIndex = at
  return TABLE_HEAD.test(markdown) ? TABLE_HEAD.lastIndex : undefined
}
