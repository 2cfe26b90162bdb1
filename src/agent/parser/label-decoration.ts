import { fenceAt, nextLine } from './fences.ts'
import { reactLabel, type LabelReader } from './react-labels.ts'
import { sectionsOf, type Section } from './sections.ts'

/**
 * The hands in which models write labels besides the plain one: bullets, numbers, emoji, HTML, brackets, tags, other signs
 * in place of the colon. Such a line may be prose, so it counts only where all of a turn's labels are written so; then it
 * is written over in the plain hand.
 */
interface Hand {
  /** What a line of this hand is in the plain one; undefined for a line that is not in it. */
  plainLine(line: string): string | undefined
}

const TAG = '</?(?:b|strong|i|em|u|p|li|ul|ol|span|div|h[1-6]|code|mark|br|font)\\b[^<>]{0,60}>'
const BULLET = '(?:[-+*•●▪◦‣·–—►▶→➤➜»>]{1,2}|[①-⑳])(?=[ \\t])'
const NUMBER = '(?:step ?)?(?:\\d{1,2}|[a-z]|[ivx]{1,4})[.):、-]|\\(\\d{1,2}\\)|\\d\\ufe0f?\\u20e3|第\\d{1,2}步[：:]?'
const EMOJI = '(?:(?!\\d)\\p{Extended_Pictographic}[\\ufe0f\\u200d\\p{Emoji_Modifier}]*){1,4}'
const DECORATED = new RegExp(
  `^([ \\t]{0,16})(#{1,6} )?([*_\`]{0,3})(?:(?:${BULLET}|${NUMBER}|${EMOJI})[ \\t]{0,4}){1,3}`,
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

const HANDS: Hand[] = [
  { plainLine: (line) => over(line, DECORATED, ([, indent = '', heading = '', bold = '']) => indent + heading + bold) },
  {
    plainLine: (line) =>
      over(line, HTML, ([, label = '']) => `${label.trim().replace(/[:：]$/, '')}:`)?.replace(HTML_END, ''),
  },
  { plainLine: (line) => over(line, BRACKETED, ([, , ...labels]) => `${labels.find(Boolean) ?? ''}:`) },
  { plainLine: (line) => over(line, PARTED, ([, label = '']) => `${label}: `) },
]

/** No decorated label is longer, value excluded. */
const LONGEST_LABEL = 160

/** The text with its labels in the plain hand, where all of them are in another one. */
export function inPlainHand(text: string, labelAt: LabelReader = reactLabel): string {
  if (sectionsOf(text, labelAt).some(isStep)) return text
  const untagged = withoutTags(text)
  if (untagged !== text && sectionsOf(untagged, labelAt).some(({ name }) => name === 'action' || name === 'answer'))
    return untagged
  for (const hand of HANDS) {
    const plain = written(text, hand)
    if (plain !== text && tellsStep(sectionsOf(plain, labelAt), plain)) return plain
  }
  return text
}

function isStep({ name, lone }: Section): boolean {
  return (name === 'action' || name === 'input' || name === 'answer') && !lone
}

/** Whether labels make a step: an action with its input or as a call, or an answer. */
function tellsStep(sections: Section[], text: string): boolean {
  return sections.some(({ name, lone, valueAt }, i) => {
    if (name === 'answer') return !lone || sections.length > 1
    return (
      name === 'action' &&
      (sections[i + 1]?.name === 'input' || /^[^\n]{1,100}[[({]/.test(text.slice(valueAt, valueAt + 120)))
    )
  })
}

function written(text: string, hand: Hand): string {
  const lines: string[] = []
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const line = text.slice(at, nextLine(text, at))
    const plain = fenceAt(text, at) || line.length < 4 ? undefined : hand.plainLine(line)
    lines.push(plain !== undefined && reactLabel(plain, 0) ? withBreak(plain, line) : line)
  }
  return lines.join('')
}

function withBreak(plain: string, line: string): string {
  return line.endsWith('\n') && !plain.endsWith('\n') ? `${plain}\n` : plain
}

/** The line with what `pattern` matches at its beginning written anew. */
function over(line: string, pattern: RegExp, anew: (match: RegExpExecArray) => string): string | undefined {
  const match = pattern.exec(line.slice(0, LONGEST_LABEL))
  return match ? anew(match) + line.slice(match[0].length) : undefined
}

const ANSWER_TAG = /^(?:final[ _-]?)?answer$/i
const LABEL_TAG = /<(\/?)([a-z][a-z _-]{2,20})>/gi

/** `<action>search</action><action_input>x</action_input>`: labels as tags, each closed; an answer's may be cut off by `stop`. */
function withoutTags(text: string): string {
  const closed = new Set([...text.matchAll(/<\/([a-z][a-z _-]{2,20})>/gi)].map(([, name = '']) => name.toLowerCase()))
  return text.replace(LABEL_TAG, (tag: string, slash: string, name: string) => {
    if (!(closed.has(name.toLowerCase()) || ANSWER_TAG.test(name)) || !reactLabel(`${name}:`, 0)) return tag
    return slash ? '\n' : `\n${name}:`
  })
}
