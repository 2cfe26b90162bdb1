import { reactLabel } from './parser/react-labels.ts'

/**
 * Observations are data. Before one goes into a prompt it is capped, its lines that look like the prompt's own labels are
 * defused, and it stands between marks that a page cannot know.
 */

/** Cuts the middle out of a text longer than `max` characters and says so. Surrogate pairs stay whole. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text
  const head = Math.ceil(max * 0.7)
  const start = wholeSlice(text, 0, head)
  const end = wholeSlice(text, text.length - (max - head), text.length)
  return `${start}\n… (${text.length - start.length - end.length} characters cut) …\n${end}`
}

function wholeSlice(text: string, from: number, to: number): string {
  const start = isLowSurrogate(text, from) ? from + 1 : from
  const end = isLowSurrogate(text, to) ? to - 1 : to
  return text.slice(start, end)
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}

/** Words that open a turn in a dialect or a chat, beside the labels that the reader of ReAct knows. */
const LABELS =
  'answer|follow[ -]?up(?: question)?|are follow[ -]?up questions needed here|intermediate[ -]answer' +
  '|(?:so[, ]{1,2})?the final answer is|final[ -]answer|action input|system|user|assistant|human|ai'
const LABEL_LINE = new RegExp(`^[\\s>*_#\`|-]{0,20}(?:${LABELS})(?: \\d{1,3})?[*_\`]{0,3}\\s{0,3}[:\uff1a\\[]`, 'iu')
const QUOTED = /^[\s>|-]{1,20}/

/** Puts a bar before each line that begins like a label of the prompt, so that nothing in it reads as the model's turn. */
export function defuseLabels(text: string): string {
  const lines = text.split(/(?<=[\n\r\u2028\u2029])/)
  const isDefused = (line: string) => isLabelled(line) || isLabelled(line.replace(QUOTED, '')) || LABEL_LINE.test(line)
  return lines.map((line) => (isDefused(line) ? `| ${line}` : line)).join('')
}

function isLabelled(line: string): boolean {
  const label = reactLabel(line, 0)
  return label !== undefined && (label.colon || label.decorated)
}

/** The observation as the prompt carries it: defused, capped, between per-run marks. */
export function fenceObservation(text: string, nonce: string): string {
  return `<${nonce}>${defuseLabels(text).replaceAll(nonce, '…')}</${nonce}>`
}
