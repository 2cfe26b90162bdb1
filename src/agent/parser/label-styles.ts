/**
 * Labels in unusual styles: list items, HTML, brackets, arrows, tags. They are rewritten as plain labels, only in turns
 * without plain step labels.
 */
import { reactLabel, sectionsOf, type LabelReader, type LabelledSection } from './labels.ts'
import { isQuoted } from './quoted-call.ts'
import { fenceAt, nextLine, tidy } from './text-lines.ts'

/** Rewrites a turn whose labels are all in one other style, or are tags. Any other turn is returned unchanged. */
export function plainLabels(text: string, labelAt: LabelReader = reactLabel): string {
  const untagged = labelsOfTags(text, labelAt)
  if (untagged !== text && sectionsOf(untagged, labelAt).some(({ name }) => name === 'action' || name === 'answer'))
    return untagged
  for (const plainLine of LABEL_STYLES) {
    const plain = restyled(text, plainLine)
    if (plain !== text && makesStep(sectionsOf(plain, labelAt), plain)) return plain
  }
  return text
}

/** Returns whether the labels form a step: an action with its input or as a call, or an answer. */
function makesStep(sections: LabelledSection[], text: string): boolean {
  return sections.some(({ name, lone, valueAt }, i) => {
    if (name === 'answer') return !lone || sections.length > 1
    return (
      name === 'action' &&
      (sections[i + 1]?.name === 'input' || /^[^\n]{1,100}[[({]/.test(text.slice(valueAt, valueAt + 120)))
    )
  })
}

function restyled(text: string, plainLine: PlainLine): string {
  if (plainLine === listed && BLOCK_QUOTE.test(text) && !isQuotedWhole(text)) return text
  const lines: string[] = []
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const line = text.slice(at, nextLine(text, at))
    const plain = fenceAt(text, at) || line.length < 4 ? undefined : plainLine(line)
    if (plain !== undefined && plainLine === listed && isOther(plain)) return text
    if (plain !== undefined && plainLine === inHtml && lines.length > 0 && !lines.some((one) => reactLabel(one, 0)))
      return text
    lines.push(plain !== undefined && reactLabel(plain, 0) ? withBreak(plain, line) : line)
  }
  return lines.join('')
}

const BLOCK_QUOTE = /^[ \t]{0,8}>/m

/** Returns whether a turn is a block quote as a whole, from its thought on: that is its style, and no quotation. */
function isQuotedWhole(text: string): boolean {
  const first = tidy(text).replace(/^>[ \t]?/, '')
  return reactLabel(first, 0)?.name === 'thought' && !/^(?![ \t]{0,8}>)[^\n]*\S/m.test(text)
}

/**
 * Returns whether an item of a list at the margin has no label: the list is not the turn, which may be an item of it.
 */
function isOther(plain: string): boolean {
  return /^\S/.test(plain) && !reactLabel(plain, 0)
}

function withBreak(plain: string, line: string): string {
  return line.endsWith('\n') && !plain.endsWith('\n') ? `${plain}\n` : plain
}

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

/** Rewrites a line in the plain style. Undefined if the line is not in the other style. */
type PlainLine = (line: string) => string | undefined

/**
 * Other styles of labels: list items with bullets, numbers or emoji; HTML; brackets; another sign instead of the colon.
 * Such a line may be prose, so it counts only if all labels of a turn are in one style (`plainLabels`).
 */
const listed: PlainLine = (line) =>
  replaceStart(line, LISTED, ([, indent = '', heading = '', bold = '']) => indent + heading + bold)

const inHtml: PlainLine = (line) =>
  replaceStart(line, HTML, ([, label = '']) => `${label.trim().replace(/[:：]$/, '')}:`)?.replace(HTML_END, '')

const LABEL_STYLES: PlainLine[] = [
  listed,
  inHtml,
  (line) => replaceStart(line, BRACKETED, ([, , ...labels]) => `${labels.find(Boolean) ?? ''}:`),
  (line) => replaceStart(line, PARTED, ([, label = '']) => `${label}: `),
]

/** The longest label, including everything around it. */
const LONGEST_LABEL = 160

/** Replaces what `pattern` matches at the start of the line. */
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

/** An action's tag, without the thought's before it. */
const ACTION_TAG = /(?<!<\/[a-z_ -]{2,20}>\s{0,9})<(?:next[_ -])?(?:action|tool)(?:[_ -]name)?>/iu

/**
 * Puts labels written as tags on lines of their own: `<action>search</action><action_input>x</action_input>`. Each tag
 * must be closed, except that of an answer, which `stop` may cut off.
 */
function labelsOfTags(text: string, labelAt: LabelReader): string {
  const at = text.includes('<') ? text.search(ACTION_TAG) : -1
  const end = text.lastIndexOf('</')
  if (!text.includes('<') || (at >= 0 && isQuoted({ text, sections: sectionsOf(text, labelAt) }, { at, end })))
    return text
  const closed = new Set([...text.matchAll(/<\/([a-z][a-z _-]{2,20})>/gi)].map(([, name = '']) => name.toLowerCase()))
  return text.replace(LABEL_TAG, (tag: string, slash: string, name: string) => {
    if (!(closed.has(name.toLowerCase()) || ANSWER_TAG.test(name)) || !reactLabel(`${name}:`, 0)) return tag
    return slash ? '\n' : `\n${name}:`
  })
}
