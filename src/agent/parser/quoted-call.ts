/**
 * Distinguishes a real call from one that the model only quotes: from a page, as an example, or to say that it ignores
 * it. It decides by where the call stands, so that language and wording matter little. In doubt a call is quoted, and
 * the model is asked again.
 */
import type { LabelledSection } from './labels.ts'
import { isEnclosed, type WrittenSpan } from './quotation-marks.ts'
import { DECLINED, EXAMPLE, HEADING, HOSTILE, INTENT, POINTS, REFUSED } from './reporting-words.ts'
import { closingFence, depthAfter, fenceAt, nextLine, tidy } from './text-lines.ts'

interface LabelledText {
  text: string
  sections: LabelledSection[]
}

/** Returns whether the turn only quotes the call. */
export function isQuoted(turn: LabelledText, { at, end }: WrittenSpan): boolean {
  const { text } = turn
  const first = leadStart(text, at)
  const inner = at + (DOCUMENT_TAGS.exec(text.slice(at, at + 200))?.[0].length ?? 0)
  if ([first, at, inner].some((from) => isEnclosed(text, { at: from, end }))) return true
  const label = turn.sections.findLast((section) => section.valueAt <= at)
  if (label?.name === 'action' && ONLY_MARKS.test(text.slice(label.valueAt, at)))
    return isLabelQuoted(turn, label.at) || isFollowedByProse(turn, { at, end })
  const prose = proseBefore(text, { at: first, from: label?.name === 'thought' ? label.valueAt : 0 })
  const isInCode = /(?<!`)`$/.test(text.slice(0, at)) && tidy(prose + rest(text, end)).replace(/[`\s]/g, '') !== ''
  if (isInCode || /(?<!`)``(?!`)/.test(text.slice(Math.max(0, first - 1), at))) return true
  return (prose !== '' && !endsSentence(prose)) || isFollowedByProse(turn, { at, end })
}

/**
 * Returns whether a labelled step is quoted: it is enclosed, its prose leads to a quotation, or the sentence goes on
 * behind it. Its thought may lack a full stop.
 */
export function isLabelQuoted(turn: LabelledText, at: number): boolean {
  const { text } = turn
  const thought = thoughtAt(turn, at)
  if (isEnclosed(text, { at, end: at }) || isEnclosed(text, { at: thought, end: at }) || goesOn(turn, at)) return true
  const prose = proseBefore(text, { at })
  const outside = thought < at ? proseBefore(text, { at: thought }) : ''
  if ([prose, outside].some((part) => announces(part) || GLUED.test(part))) return true
  if (outside.split('\n').some((line) => /[:：]$/.test(line) && !HEADING.test(lastSentence(line)))) return true
  const fence = openFence(text, at)
  if (fence === undefined) return false
  const above = proseBefore(text, { at: text.lastIndexOf('\n', fence - 2) + 1 })
  const isDocument = LANGUAGE.test(text.slice(0, fence))
  if (isDocument && thought === at && tidy(text.slice(fence, at)) !== '') return true
  const close = closingFence(text, fence)
  const behind = close === undefined || isNested(turn, close) ? '' : rest(text, nextLine(text, close))
  return (above !== '' && isDocument && !endsSentence(above)) || (/^[^<[{>]/.test(behind) && !isAside(behind))
}

/** Returns whether the fence at `close` is no end: it opens an input, or another part of the turn follows. */
function isNested({ text, sections }: LabelledText, close: number): boolean {
  const last = sections.findLast((section) => section.at < close)
  return sections.at(-1) !== last || (last !== undefined && tidy(text.slice(last.valueAt, close)) === '')
}

/** A fence that opens a document of another language. */
const LANGUAGE = /(?:`{3}|~{3})[ \t]{0,3}(?!json|text|plaintext)\w[^\n]*\n$/i

/** Where the thought before a labelled step begins, or the step without one. */
function thoughtAt({ sections }: LabelledText, at: number): number {
  const before = sections.findLast((section) => section.at < at)
  return before?.name === 'thought' ? before.at : at
}

/** Returns whether prose follows the JSON input, or the call, of a labelled step. Other inputs may be any text. */
function goesOn({ text, sections }: LabelledText, at: number): boolean {
  const [input, next] = sections.filter((section) => section.at > at)
  const hasInput = input?.name === 'input' || input?.name === 'loneInput'
  if (sections.find((section) => section.at === at)?.wrap === '`' && /`[ \t]+\p{L}/u.test(text.slice(at, next?.at)))
    return true
  if (hasInput && input.wrap === '`' && /`[ \t]*\n[^`]*\p{L}/u.test(text.slice(input.valueAt, next?.at))) return true
  const step = text.slice(hasInput ? input.valueAt : at, (hasInput ? next : input)?.at)
  if (hasInput && !/^[\s`]{0,20}(?:json\s)?\s{0,9}\{/.test(step)) return false
  const close = hasInput ? step.lastIndexOf('}') : Math.max(...['}', ']', ')'].map((one) => step.lastIndexOf(one)))
  const behind = close < 0 ? '' : step.slice(close + 1)
  const words = tidy(behind.replace(BEHIND, ''))
  if (!hasInput && !/^[^\n\p{L}]{0,40}\n/u.test(behind)) return false
  // A paragraph about a text, behind a step without a thought, says where the step is from.
  const isParagraph = /^[\s`]{0,20}\n[ \t]*\n/.test(behind) && /^\p{Lu}/u.test(words)
  const isAbout = sections[0]?.at === at && isParagraph && OF_TEXT.test(words)
  return (isAbout || /^[\p{Ll}\p{Lo}]/u.test(words)) && !isAside(words) && !NEXT_STEP.test(words)
}

/** Names a text that somebody else has written. */
const OF_TEXT =
  /\b(?:lines?|above|page|site|e-?mails?|mail|files?|documents?|messages?|alerts?|posts?|footer|snippet|example|quot\w*|Seite|Datei|Nachricht|fichier|courriel|página|correo|archivo)\b|上面|页面|邮件|ページ|メール/iu

/** A thought that begins inside a sentence: the steps behind it are no steps of the turn. */
const GLUED =
  /(?:(?:[\p{L}\p{M}\p{N},;"'”’»)~{}=→⇒|\\]|[^\s][ \t][–—-]|(?<!(?:Thought|思考)\s?\d{0,3})[:：])[ \t]{0,4}[*_]{0,3}|(?<!`)(?:`|``\n?)|[^\n]\n[ \t]{0,8}(?:\d{1,2}[.)]|[-*•\u2460-\u2473])[ \t]|["'“”„«»‹‘‚「『《〈【〝＂(（[>|\t][ \n]?)(?<![\w\p{Script=Latin}])(?:Thought|思考)(?: ?\d{1,3})? ?[:：](?![`"'”’])/u

/** The start of the marks that lead to a call, on earlier lines too. */
function leadStart(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - MAX_SENTENCE), at)
  return at - (LEAD.exec(before)?.[0] ?? '').trimStart().length
}

/** The longest part of a text that is read to judge a sentence, in characters. */
const MAX_SENTENCE = 500

/** Marks between the start of a line, or a sentence, and its call. */
const LEAD =
  /(?:\s|[`~\\[({]|json\b|\b(?:assistant|commentary)\b|\bfunction(?=<)|\w{1,12}(?=\[)|<[^<>\n]{1,60}>|\[\/?[A-Za-z_]{1,24}\]|[|｜]|["']\w{1,20}["']\s{0,3}:|(?:call|code|action|function|tool(?:_code)?)\s?:)*$/iu

/** Tags of a document that a reader took for marks of the call. Before a Python call, any are. */
const DOCUMENT_TAGS =
  /^(?:(?:\s|<(?:p|t[dhr]|table|tbody|li|[uo]l|div|span|b|i|em|strong|code|pre|q|blockquote)\b[^<>\n]{0,80}>){1,9}|(?:\s|<[a-z][\w:-]{0,30}>){1,9}(?=[\w.]{1,100}\())/i

/** Nothing but marks. */
const ONLY_MARKS = new RegExp(`^${LEAD.source}`, 'iu')

/** A rule, as between a text and its quotation. */
const RULE = /\n[ \t]{0,8}(?:-{3,}|={3,}|_{3,}|\*{3,})[ \t]{0,8}$/

/** The sign of a list item, alone on its line. */
const LIST_ITEM = /(?:^|(?<=\n))[ \t]{0,8}(?:\d{1,2}[.)]|[-*•])[ \t]{0,4}$/

/** Returns whether prose before a call is complete, so that the call is no part of its sentence. */
function endsSentence(written: string): boolean {
  const prose = written.replace(/[*_]{1,3}$/, '')
  const last = lastSentence(prose)
  if (REFUSED.test(last) || (HOSTILE.test(last) && !INTENT.test(last)) || pointsAtCall(last)) return false
  return (
    /(?:[\p{Sentence_Terminal}…]["'”’»›」』)\]）】]{0,3}|[)）>])$/u.test(prose) ||
    INTENT.test(last) ||
    HEADING.test(last)
  )
}

/** Returns whether prose leads to a quotation. */
function announces(prose: string): boolean {
  const last = lastSentence(prose).replace(/[*_]{1,3}$/, '')
  if (EXAMPLE.test(last)) return true
  return DECLINED.test(last) || pointsAtCall(last) || (/[:：,，、;；]$|\s[—–-]$|——$/u.test(last) && !endsSentence(last))
}

/** The paragraph before a call, without the fence and the marks in between. It begins at `from` or later. */
function proseBefore(text: string, { at, from = 0 }: { at: number; from?: number }): string {
  let prose = text.slice(Math.max(from, at - MAX_SENTENCE), at).trimEnd()
  for (let i = 0; i < 4; i++)
    prose = prose.replace(/(?:^|\n)\s{0,8}(?:`{3,}|~{3,})[\w+#.-]{0,20}$/, '').replace(LEAD, '')
  prose = prose.replace(LIST_ITEM, '').replace(RULE, '').trimEnd()
  return tidy(prose.slice(prose.lastIndexOf('\n\n') + 1))
}

/** Returns whether the last sentence of a thought says what the model does next. */
export function plans(thought: string): boolean {
  const last = lastSentence(thought.trim())
  return !REFUSED.test(last) && last.split(/[,;:，；：–—]\s{0,4}/).some((clause) => INTENT.test(clause))
}

/** Returns whether a sentence is about the call, as about a text, and no plan. */
function pointsAtCall(sentence: string): boolean {
  return POINTS.test(sentence) && !plans(sentence)
}

function lastSentence(prose: string): string {
  return prose.split(/(?<=[\p{Sentence_Terminal}…])\s+|(?<=[。！？])|\n/u).at(-1) || prose
}

/** Marks, closing tags and brackets behind a call. */
const BEHIND =
  /^(?:\s|[`~\])},;|｜]|<\/?[^<>\n]{1,80}>|\[\/?[A-Z_]{1,24}\]|\.(?=\s|$)|#[^\n]{0,200}|(?:print|return|[\w.]{1,40} ?= ?)[^\n]{0,200}(?:\n|$))+/u

/** Returns whether prose that belongs to no other step follows the call, or a final answer in harmony's marks. */
function isFollowedByProse(turn: LabelledText, { at, end }: WrittenSpan): boolean {
  const { text } = turn
  const fence = openFence(text, at)
  const close = fence === undefined ? undefined : closingFence(text, fence)
  const from = close === undefined || close < end ? end : nextLine(text, close)
  if (FINAL.test(text.slice(from))) return true
  const behind = rest(text, from)
  if (behind === '' || /^[<[{>]/.test(behind)) return false
  const start = text.length - behind.length
  const lineAt = text.lastIndexOf('\n', start - 1) + 1
  if (turn.sections.some((section) => section.at >= lineAt && section.at <= start)) return false
  if (!/[\p{L}\p{N}]/u.test(behind) || isAside(behind) || CALLS_ON.test(behind)) return false
  return lineAt < end || !NEXT_STEP.test(behind)
}

/** The part for people of a harmony completion. */
const FINAL = /<\|channel\|>final\b|\bassistant ?final(?=\S)/

/** Words that lead to the next call, or that say what the call is for. */
const NEXT_STEP =
  /^(?:(?:and )?then\b|next\b|after(?:wards| that)\b|(?:this|it|that) (?:will|should|is to|gives|tells)\b|I(?:['’]ll| will)\b(?! not)|let me\b|once\b|hope\b)/iu
/** Another call behind the first. */
const CALLS_ON = /^(?:\w{1,20}:)?[\w.-]{1,100}(?:\(|\[ARGS\]|\{)|^(?:assistant|commentary|analysis)\b/u

function rest(text: string, from: number): string {
  return tidy(text.slice(from).replace(BEHIND, ''))
}

/** The offset behind the fence that is open at `at`, if one is. */
function openFence(text: string, at: number): number | undefined {
  let depth = 0
  let inside: number | undefined
  for (let line = 0; line < at; line = nextLine(text, line)) {
    const fence = fenceAt(text, line)
    if (fence) depth = depthAfter(depth, fence)
    if (fence && depth === 1) inside = fence.end
  }
  return depth > 0 ? inside : undefined
}

/** Remarks that models add after an input: "(Waiting for the tool result.)", "I will wait for the observation." */
const ASIDE = /^[(（]\p{Lu}[^\n]*(?:wait|paus|note|tool|result|response|observation)[^\n]*[.!…][)）]$/u
const WAITING =
  /^(?:pause$|[(（](?:wait|paus|await)[^\n]*[)）]$|waiting (?:for|on)|awaiting|please wait|i(?:'ll| will|'m| am) (?:now )?(?:wait|await|pause))/i
const LONGEST_ASIDE = 300

/** Returns whether a text is only a remark that the model waits for the result. */
export function isAside(text: string): boolean {
  return text.length < LONGEST_ASIDE && (ASIDE.test(text) || WAITING.test(text))
}
