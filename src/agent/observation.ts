/**
 * Treats text from tools and people as data. Its length is limited at the source: a tool's output by `observationOf`
 * (call-tool.ts) to TOOL_OUTPUT_CHARS (config.ts), everything else by prompt-size.ts. Before it goes into a prompt,
 * lines that look like the prompt's own labels are defused. An observation is enclosed in marks that a page cannot
 * know.
 */
import { reactLabel } from './parser/labels.ts'
import { defuseTokens, MAY_HOLD_TOKENS } from './parser/special-tokens.ts'
import type { MessageStep } from './contracts/run-events.ts'

/** The beginning of a model's text, for quoting it in a sentence. */
export function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/**
 * The loop's words around the result of a call that was made before, and those after the result in a prompt of turns.
 */
export const REPEATED = {
  before: 'You have already done exactly this. It returned: ',
  after: ' Do something else, or give the final answer.',
  already: 'You have already done exactly this, and this is what it returned.',
  enough: 'If that answers the question, give the final answer.',
}

/** Cuts the middle out of a text longer than `max` characters and says so. Surrogate pairs stay intact. */
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

/** Words that open a turn in a dialect or a chat, in addition to the labels of ReAct. */
const LABELS =
  'answer|follow[ -]?up(?: question)?|are follow[ -]?up questions needed here|intermediate[ -]answer' +
  '|message from the person|(?:so[, ]{1,2})?the final answer is|final[ -]answer|action input|system|developer|user|assistant|human|ai'
const LABEL_LINE = new RegExp(`^(?:${LABELS})(?: \\d{1,3})?[*_\`]{0,3}\\s{0,3}[:\uff1a\\[]`, 'iu')

/** Characters that a model may read as a line break, including VT, FF, file and record separators and NEL. */
const BREAKS = new Set([0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029])
/** Invisible characters: soft hyphens, bidi marks, joiners, fillers, selectors. */
const INVISIBLE = /[\p{Cf}\p{Cc}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]/gu
/** Matches before a label on its line: quotes, bullets, headings, numbers, emoji. */
const BEFORE = /[\s>*_#`|•●▪◦‣·–—►▶→➤»+-]|\d{1,3}[.):]|[①-⑳]|\p{Extended_Pictographic}/uy
/** Text without invisible or look-alike characters. */
const PLAIN = /^[ -~\n]*$/
const LETTER = /\p{L}/u
const SHORTEST_LABEL = 3
/** The longest label, including invisible characters. */
const LONGEST_LABEL = 200
const LONGEST_INDENT = 500

/** Puts a bar before each line that begins like a label, so that nothing in the text reads as the model's turn. */
export function defuseLabels(text: string): string {
  const pieces: string[] = []
  let start = 0
  let from = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && !BREAKS.has(text.charCodeAt(at))) continue
    if (at - start >= SHORTEST_LABEL && isLabelled(text.slice(start, at + 1))) {
      pieces.push(text.slice(from, start), '| ')
      from = start
    }
    start = at + 1
  }
  return pieces.join('') + text.slice(from)
}

/** Returns whether a line begins with a label, either literally or as it is displayed. */
function isLabelled(line: string): boolean {
  if (!LETTER.test(line.slice(0, LONGEST_INDENT + LONGEST_LABEL))) return false
  if (isLabel(line)) return true
  const start = line.slice(0, LONGEST_INDENT + LONGEST_LABEL)
  const visible = PLAIN.test(start) ? start : start.replace(INVISIBLE, '').normalize('NFKC')
  const bare = visible.slice(indentOf(visible))
  return (visible !== line && isLabel(visible)) || (bare !== line && isLabel(bare)) || LABEL_LINE.test(bare)
}

function isLabel(line: string): boolean {
  const label = reactLabel(line, 0)
  return label !== undefined && (label.colon || label.decorated)
}

function indentOf(line: string): number {
  let at = 0
  for (BEFORE.lastIndex = 0; BEFORE.test(line);) at = BEFORE.lastIndex
  return at
}

/** The observation for the prompt: labels and special tokens are defused, and per-run marks enclose it. */
export function fenceObservation(text: string, nonce: string): string {
  return `<${nonce}>${defused(text).replaceAll(nonce, '…')}</${nonce}>`
}

/** Defuses foreign text, so that no line and no token in it can pass for a part of a prompt. */
export function defused(text: string): string {
  const plain = defuseLabels(text)
  return MAY_HOLD_TOKENS.test(plain) ? defuseTokens(plain) : plain
}

const MESSAGE_LABEL = 'Message from the person:'

/**
 * A person's addition during the run, as a line of the prompt. It is an instruction, so it has no observation marks,
 * but it cannot pass for another part of the prompt.
 */
export function messageLine(step: MessageStep): string {
  return `${MESSAGE_LABEL} ${messageText(step)}\n`
}

/** The text of an addition, for dialects with a role for people's messages. */
export function messageText({ text }: MessageStep): string {
  return defused(text.trim())
}

/** Returns whether a line of model output begins an invented message from a person. */
export function beginsMessage(line: string): boolean {
  return line.trimStart().toLowerCase().startsWith(MESSAGE_LABEL.toLowerCase())
}
