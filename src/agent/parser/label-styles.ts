/**
 * Labels in other styles than the plain one: list items, HTML, brackets, arrows, tags. They are looked for only in a turn that
 * has no plain label of a step, and rewritten as plain ones.
 */
import { reactLabel, sectionsOf, type LabelReader, type Section } from './labels.ts'
import { fenceAt, nextLine } from './text-lines.ts'

/** A turn whose labels are all in another style, or tags, rewritten with plain labels; any other turn as it is. */
export function plainLabels(text: string, labelAt: LabelReader = reactLabel): string {
  const untagged = labelsOfTags(text)
  if (untagged !== text && sectionsOf(untagged, labelAt).some(({ name }) => name === 'action' || name === 'answer'))
    return untagged
  for (const plainLine of LABEL_STYLES) {
    const plain = restyled(text, plainLine)
    if (plain !== text && makesStep(sectionsOf(plain, labelAt), plain)) return plain
  }
  return text
}

/** Whether labels make a step: an action with its input or as a call, or an answer. */
function makesStep(sections: Section[], text: string): boolean {
  return sections.some(({ name, lone, valueAt }, i) => {
    if (name === 'answer') return !lone || sections.length > 1
    return (
      name === 'action' &&
      (sections[i + 1]?.name === 'input' || /^[^\n]{1,100}[[({]/.test(text.slice(valueAt, valueAt + 120)))
    )
  })
}

function restyled(text: string, plainLine: (line: string) => string | undefined): string {
  const lines: string[] = []
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const line = text.slice(at, nextLine(text, at))
    const plain = fenceAt(text, at) || line.length < 4 ? undefined : plainLine(line)
    lines.push(plain !== undefined && reactLabel(plain, 0) ? withBreak(plain, line) : line)
  }
  return lines.join('')
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

/** A line of another style in the plain one; undefined for a line that is not in that style. */
type PlainLine = (line: string) => string | undefined

/**
 * The styles of labels besides the plain one: list items with bullets, numbers or emoji, HTML, brackets, another sign in
 * place of the colon. Such a line may be prose, so it counts only where all labels of a turn are in one style
 * (`plainLabels`).
 */
const LABEL_STYLES: PlainLine[] = [
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
function labelsOfTags(text: string): string {
  if (!text.includes('<')) return text
  const closed = new Set([...text.matchAll(/<\/([a-z][a-z _-]{2,20})>/gi)].map(([, name = '']) => name.toLowerCase()))
  return text.replace(LABEL_TAG, (tag: string, slash: string, name: string) => {
    if (!(closed.has(name.toLowerCase()) || ANSWER_TAG.test(name)) || !reactLabel(`${name}:`, 0)) return tag
    return slash ? '\n' : `\n${name}:`
  })
}
