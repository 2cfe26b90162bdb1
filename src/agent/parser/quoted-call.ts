/**
 * Tells a call that carries the turn from one that the model only quotes: from a page, as an example, or to say that it
 * ignores it. Only calls without a label need this much care: they can stand anywhere. In doubt a call is quoted, and
 * the model is asked again.
 */
import { isAside } from './action-input.ts'
import type { ModelOutput } from './model-output.ts'
import { closingFence, depthAfter, fenceAt, nextLine, tidy } from './text-lines.ts'

/** The call begins at `at` and ends before `end`. */
export interface WrittenSpan {
  at: number
  end: number
}

/** Returns whether the turn only quotes the call. */
export function isQuoted(turn: Pick<ModelOutput, 'text' | 'sections'>, { at, end }: WrittenSpan): boolean {
  const { text } = turn
  const lineAt = text.lastIndexOf('\n', leadStart(text, at) - 1) + 1
  const label = turn.sections.find((section) => section.at === lineAt)
  const labelAt = label?.valueAt ?? lineAt
  const before = text.slice(Math.min(labelAt, at), at)
  if (/^\s{0,8}>(?!>>)/.test(text.slice(lineAt, at))) return true
  const lead = before.slice(-MAX_SENTENCE).replace(LEAD, '').replace(LIST_ITEM, '')
  if (label?.name === 'action' && lead.trim() === '') return isLabelQuoted(turn, lineAt)
  const prose = proseBefore(text, lead.trim() === '' ? lineAt : at - (before.length - before.trimEnd().length))
  if (lead.trim() !== '' && !endsSentence(tidy(lead))) return true
  const isInCode = /(?<!`)`{1,2}$/.test(before) && tidy(prose + rest(text, end)).replace(/[`\s]/g, '') !== ''
  return isInCode || isReported(prose) || isInQuotes(text, at, end) || isFollowedByProse(turn, { at, end })
}

/**
 * Returns whether a labelled step stands inside a quotation: in a block whose prose says so and ends with a colon, or
 * between quotation marks that close after it.
 */
export function isLabelQuoted(turn: Pick<ModelOutput, 'text' | 'sections'>, at: number): boolean {
  const { text } = turn
  if (isInQuotes(text, at, at)) return true
  const prose = proseBefore(text, at)
  if (announces(prose) || announces(proseBefore(text, thoughtAt(turn, at))) || goesOn(text, at)) return true
  const fence = openFence(text, at)
  const close = fence === undefined ? undefined : closingFence(text, fence)
  return close !== undefined && isReported(prose) && tidy(text.slice(nextLine(text, close))) !== ''
}

/** Where the thought before a labelled step begins, or the step without one. */
function thoughtAt({ sections }: Pick<ModelOutput, 'sections'>, at: number): number {
  const index = sections.findIndex((section) => section.at >= at)
  const before = sections[(index < 0 ? sections.length : index) - 1]
  return before?.name === 'thought' ? before.at : at
}

/** Returns whether the sentence before a labelled step goes on behind its input: "… and hope that a bot runs it". */
function goesOn(text: string, at: number): boolean {
  const close = Math.max(...['}', ']', ')'].map((bracket) => text.lastIndexOf(bracket)))
  return close > at && GOES_ON.test(text.slice(close + 1, close + 40))
}

const GOES_ON = /^[\s`]{0,9}\n(?:and|but|or|which|while|yet|so that|und|aber|et|mais|y|pero)\s/u

/** The start of the marks that lead to a call, on earlier lines too. */
function leadStart(text: string, at: number): number {
  let start = at
  for (let i = 0; i < 4; i++) {
    const before = text.slice(Math.max(0, start - 80), start)
    const mark = MARK_LINE.exec(before)
    if (!mark) break
    start -= mark[0].length
  }
  return start
}

/** Marks at the end of a line, before the line of a call. */
const MARK_LINE = /(?:<[^<>\n]{1,60}>|\[\/?[A-Z_]{1,24}\])[ \t]*\n\s*$/

/** The longest part of a text that is read to judge a sentence, in characters. */
const MAX_SENTENCE = 500

/** Marks between the start of a line, or a sentence, and its call. */
const LEAD =
  /(?:\s|[`~\\[({]|json\b|\b(?:assistant|commentary)\b|\bfunction(?=<)|\w{1,12}(?=\[)|<[^<>\n]{1,60}>|\[\/?[A-Za-z_]{1,24}\]|[|｜]|["']\w{1,20}["']\s{0,3}:|(?:call|code|action|function|tool(?:_code)?)\s?:)*$/iu

/** The sign of a list item, alone on its line. */
const LIST_ITEM = /(?:^|(?<=\n))[ \t]{0,8}(?:\d{1,2}[.)]|[-*•])[ \t]{0,4}$/

/** The items of a list before the last one. */
const ITEMS = /(?:(?:^|\n)[ \t]{0,8}(?:\d{1,2}[.)]|[-*•])[ \t][^\n]*)*\n?$/

/** Returns whether prose before a call on its line is complete, so that the call is no part of the sentence. */
function endsSentence(written: string): boolean {
  const prose = written.replace(/[*_]{1,3}$/, '')
  if (/[.!?。！？…)）>]$/u.test(prose)) return true
  return /[:：]$/u.test(prose) && INTENT.test(lastSentence(prose))
}

/** The paragraph before a call, without the fence and the marks in between. */
function proseBefore(text: string, at: number): string {
  let prose = text.slice(Math.max(0, at - MAX_SENTENCE), at).trimEnd()
  for (let i = 0; i < 4; i++)
    prose = prose.replace(/(?:^|\n)\s{0,8}(?:`{3,}|~{3,})[\w+#.-]{0,20}$/, '').replace(LEAD, '')
  prose = prose.replace(LIST_ITEM, '').replace(ITEMS, '').trimEnd()
  return tidy(prose.slice(prose.lastIndexOf('\n\n') + 1))
}

function lastSentence(prose: string): string {
  return prose.split(/(?<=[.!?。！？…])\s+|\n/u).at(-1) ?? ''
}

const INTENT =
  /\b(?:I(?:['’]ll|['’]d| will| would| should| shall| must| need| want| have to| can| call| search| use| look|['’]m going| am going)|let me|let us|let['’]s|(?:so|then|now|next|first)[, ] ?(?:search|call|look|use|I)|ich (?:werde|muss|suche|rufe|will)|je (?:vais|dois)|voy a|debo|vou)\b|我(?:要|会|將|将|来|需要|先)|让我|讓我|します|しよう|ましょう/iu
const REFUSED =
  /\b(?:ignor\w*|injection|injected|malicious|attack|refus\w*|won['’]t|never|not (?:\w+ )?(?:call|run|follow|obey|execute|do|make|send|from)|(?:example|instance|e\.g\.|such as)|ignorier\w*|beispiel\w*|exemple|ejemplo|exemplo|esempio)\b|例如|例えば|忽略|无视|無視|比如/iu
const REPORTED =
  /\b(?:says?|said|reads?|contain\w*|includ\w*|tells?|told|asks?|asked|instruct\w*|quot\w*|footer|header|hidden|embedded|wr[io]te\w*|written|wrote|found|states?|mentions?|holds?|held|findings?|lists?|lines?|results?|has|had|have|shows?|showed|looks? like|document\w*|docs|syntax|format|snippet|template|returned|reply|replied|suggest\w*|demand\w*|want\w* me|was|were|text|page|site|mail|e-?mail|article|file|(?:er|sie|es|da|dort|darin) (?:sagt|steht)|steht|sagt|enthält|contient|dit|contiene|dice|contém|diz)\b|包含|写着|寫著|说|說|含まれ|書かれ|书かれ|页面|ページ/iu

/** Returns whether prose leads to a quotation, not to a call. The last sentence may say that the call is meant. */
function isReported(prose: string): boolean {
  if (prose === '') return false
  const last = lastSentence(prose).replace(/[*_]{1,3}$/, '')
  if (REFUSED.test(last)) return true
  if (INTENT.test(last)) return false
  return /[:：,，]$|\s[—–-]$/u.test(last)
    ? REPORTED.test(last) || !CALLING.test(last)
    : REPORTED.test(last) && !/[.!?。！？…]$/u.test(last)
}

/** The same for labelled steps, which stand where steps do: their thoughts report much that is no quotation. */
function announces(prose: string): boolean {
  const last = lastSentence(prose).replace(/[*_]{1,3}$/, '')
  if (DECLINED.test(last)) return true
  return /[:：,，]$|\s[—–-]$/u.test(last) && !INTENT.test(last) && (REFUSED.test(last) || REPORTED.test(last))
}

const DECLINED =
  /\b(?:ignor(?:e|ed|ing) (?:it|this|that|them)|injection|malicious|I refuse|refused|I (?:won['’]t|(?:will|must|should|do|did) not) (?:do|call|run|follow|obey|execute|make|send))\b/iu

/** What may stand before a colon and the call itself. */
const CALLING =
  /\b(?:here(?: is|['’]s)|call(?:ing|s)?|search(?:ing)?|using|action|code|tool|json|plan|thought|step|query|next|input|python|command)\b|行动|思考|动作|操作/iu

const OPENING_QUOTES = /[“„«「『]/g
const CLOSING_QUOTES = /[”»」』]/g

/** Returns whether quotation marks that open before the call close after it. */
function isInQuotes(text: string, at: number, end: number): boolean {
  const before = text.slice(Math.max(0, at - 4 * MAX_SENTENCE), at)
  const after = text.slice(end, end + 4 * MAX_SENTENCE)
  const count = (part: string, pattern: RegExp) => part.match(pattern)?.length ?? 0
  const isOpen = count(before, OPENING_QUOTES) > count(before, CLOSING_QUOTES)
  if (isOpen && count(after, CLOSING_QUOTES) > count(after, OPENING_QUOTES)) return true
  return count(before, /(?<!\\)"/g) % 2 === 1 && count(after, /(?<!\\)"/g) % 2 === 1
}

/** Marks, closing tags and brackets behind a call. */
const BEHIND =
  /^(?:\s|[`~\])},;|｜]|<\/?[^<>\n]{1,80}>|\[\/?[A-Z_]{1,24}\]|\.(?=\s|$)|#[^\n]{0,200}|(?:print|return|[\w.]{1,40} ?= ?)[^\n]{0,200}(?:\n|$))+/u

/** Returns whether prose that belongs to no other step follows the call. */
function isFollowedByProse(turn: Pick<ModelOutput, 'text' | 'sections'>, { at, end }: WrittenSpan): boolean {
  const { text } = turn
  const fence = openFence(text, at)
  const close = fence === undefined ? undefined : closingFence(text, fence)
  const from = close === undefined || close < end ? end : nextLine(text, close)
  const behind = rest(text, from)
  if (behind === '' || /^[<[{>]/.test(behind)) return false
  const start = text.length - behind.length
  const lineAt = text.lastIndexOf('\n', start - 1) + 1
  if (turn.sections.some((section) => section.at >= lineAt && section.at <= start)) return false
  if (!/^[\p{L}\p{N}"'“(（*_—–-]/u.test(behind) || isAside(behind) || CALLS_ON.test(behind)) return false
  return lineAt < end || !NEXT_STEP.test(behind)
}

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
