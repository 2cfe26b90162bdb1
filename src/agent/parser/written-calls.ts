/**
 * The text of a model that has native tools. A call written into it is made only if it is not quoted. Other text with
 * calls, labels or an announced call in it is never shown as the answer: the model is asked again.
 */
import type { ParsedTurn } from '../contracts/dialect.ts'
import { isRecord, parseJson } from '../../base/parse-json.ts'
import { holdsJsonCall, readJsonBlock } from './json-action.ts'
import { opensStep, sectionsOf } from './labels.ts'
import { leakedCallFrom, type LeakedCall } from './leaked-calls.ts'
import { modelOutputOf, thoughtBefore, toParsedTurn, turnText, type ModelOutput } from './model-output.ts'
import { isQuoted } from './quoted-call.ts'
import { findStep } from './react-steps.ts'
import { tidy } from './text-lines.ts'
import { listedTool } from './tool-names.ts'

/** Reads the text of a completion without native calls. Any text that holds no call is the answer. */
export function readWritten(completion: string, tools: string[]): ParsedTurn {
  const { text, isFinal, isCut } = turnText(completion, () => false)
  const turn = { text, sections: sectionsOf(text), tools, isFinal, isCut }
  if (text.trim() === '') return unreadable('You wrote nothing. Call a tool, or write the answer.')
  const read = leakedActions(turn) ?? labelled(turn, completion) ?? answerOf(text)
  if (read.kind === 'finish' && holdsCall(read.answer, tools)) return unreadable(AS_TEXT)
  if (read.kind === 'finish' && isAnnounced(read.answer, tools)) return unreadable(ANNOUNCED)
  return read
}

const AS_TEXT =
  'Your reply holds a tool call as text, which was neither made nor shown. Call the tool, or write the answer in words.'
const ANNOUNCED = 'You said that you will use a tool, but called none. Call it, or write the answer.'

function unreadable(hint: string): ParsedTurn {
  return { kind: 'unreadable', thought: '', hint }
}

/** The answer, without the label at its start, such as `Answer: 42`. */
function answerOf(text: string): ParsedTurn {
  return { kind: 'finish', thought: '', answer: tidy(text).replace(ANSWER_LABEL, '') }
}

const ANSWER_LABEL = /^[*_#\s]{0,6}(?:answer|答案)[*_]{0,3}\s{0,3}[:\uff1a][*_]{0,3}\s{0,9}(?=\S)/iu

/** Reads ReAct labels if the text begins with one, or if an action names a listed tool. An answer may hold others. */
function labelled({ text, tools }: ModelOutput, completion: string): ParsedTurn | undefined {
  const output = modelOutputOf(completion, tools)
  const begins = output.sections.some((one) => one.at <= output.text.length - output.text.trimStart().length)
  const opens = output.sections.some(
    (one) => opensStep(one) && (one.name === 'answer' || namesTool(output, one.valueAt)),
  )
  if (!opens && !(begins && output.sections.some(({ name }) => name === 'thought' || name === 'action')))
    return undefined
  const parsed = toParsedTurn(findStep(output), output, 'Call a tool, or write the answer in words.')
  const isKnown = parsed.kind === 'actions' && parsed.actions.every(({ tool }) => tools.includes(tool))
  return isKnown || parsed.kind === 'finish' || begins || text === '' ? parsed : undefined
}

function namesTool({ text, tools }: ModelOutput, at: number): boolean {
  const value = text.slice(at, at + 120).trimStart()
  return listedTool(/^[^\n[({:：]{1,100}/u.exec(value)?.[0] ?? '', tools) !== undefined
}

/** The calls of listed tools that stand in the text as calls do, in order. */
function leakedActions(turn: ModelOutput): ParsedTurn | undefined {
  if (turn.sections.some(({ name, lone }) => name === 'answer' && !lone) || ANSWER_TAG.test(turn.text)) return undefined
  const calls = leakedCalls(turn)
  const [first] = calls
  const last = calls.at(-1)
  if (first && !first.ok) return unreadable('Your tool call broke off. Call the tool again.')
  const actions = calls.flatMap((call) =>
    call.ok && turn.tools.includes(call.tool) ? [{ tool: call.tool, input: call.input }] : [],
  )
  if (first && actions.length > 0 && !isQuoted(turn, { at: first.at, end: last?.ok ? last.end : first.end }))
    return { kind: 'actions', thought: thoughtBefore(turn, first.at), actions }
  const block = actions.length === 0 && CALL.test(turn.text) ? readJsonBlock(turn) : undefined
  if (block?.kind !== 'action' || !turn.tools.includes(block.tool)) return undefined
  return { kind: 'actions', thought: block.thought, actions: [{ tool: block.tool, input: block.input }] }
}

const ANSWER_TAG = /<(?:final[_ -]?)?answer>/i

/** The leaked calls that follow each other, from the first that is not quoted. */
function leakedCalls(turn: ModelOutput): LeakedCall[] {
  const calls: LeakedCall[] = []
  let call = leakedCallFrom(turn, 0)
  for (let tried = 0; call && tried < MAX_CALLS; tried++) {
    const before = calls.at(-1)
    if (before && !/^[^\p{L}\p{N}]*$/u.test(turn.text.slice(before.end, call.at).replace(TAGS, ''))) break
    if (before || !call.ok || !isQuoted(turn, call)) calls.push(call)
    if (!call.ok) break
    call = leakedCallFrom(turn, call.end)
  }
  return calls
}

const TAGS = /<[^<>]{1,60}>|\[\/?\w{1,24}\]|\b(?:assistant|commentary|print|json|functions?)\b/g

/** A bound against runaway output. */
const MAX_CALLS = 50

/** JSON counts as a call if a marker says so, or if the text begins with it. */
const CALL =
  /tool[_▁]?(?:calls?|request)|functools\[|<\|(?:plugin|tools_prefix)\|>|<tools>|function_?call|python_tag|tool_use|^\s{0,20}(?:`{3}(?:json)?\s{0,9})?[{[]/i

/** Call markup of any vendor, on one line. */
export const MAY_CALL =
  /<[|｜/]{0,2}(?:[a-z]{1,12}:|[a-z]{1,12}_(?=tools?[▁_ ]?calls?|function_?calls?))?(?:tools?[▁_ ](?:prefix|suffix)|tools?[▁_ ]?calls?(?:[▁_ ]\w{1,20}){0,2}|tools|function_?calls?|invoke|call_record|tool_use|start_function_call)\b[^<>\n]{0,100}>|<\/?[|｜]DSML|\[\/?(?:TOOL_CALLS|TOOL_REQUEST|END_TOOL_REQUEST|tool_use:)|\bto=functions\.|<function\s?=|<details type="tool_calls"|^`{3}tool_code\b/imu

/** A part of a call on one line, whose rest may show that it is one. A streamed answer waits there. */
export const MAY_GO_ON =
  /["'“](?:arguments|parameters|tool_?calls?)["'”]\s{0,3}:|["'“](?:name|tool|tool_?name|function|recipient_name|action)["'”]\s{0,3}:\s{0,3}(?:["'“][\w.:-]{0,100}(?:["'”]\s{0,3},\s{0,3}["'“](?:args|(?:action_?|tool_?)?input|params|kwargs)["'”]\s{0,3}:|$)|$)|\bfunctions\.[\w-]{1,100}(?::\d{1,9})?\s?\{|arg_(?:key|value)>|\[ARGS\]|(?:&(?:amp;)?lt;|\\u003c)[/|]?(?:tool|function|invoke|param|arg_)/i

/** Returns whether a text holds a vendor's markup of a call outside of inline code. */
export function holdsMarkup(text: string): boolean {
  return MAY_CALL.test(withoutInlineCode(text))
}

/**
 * Returns whether an answer holds a call: markup outside of inline code, JSON, or a listed tool written as a call. Also
 * where a gateway or a template has escaped or spaced its marks.
 */
export function holdsCall(answer: string, tools: string[]): boolean {
  if (holdsPlainCall(answer, tools)) return true
  const mended = withMarksMended(answer)
  return mended !== answer && holdsPlainCall(mended, tools)
}

function holdsPlainCall(answer: string, tools: string[]): boolean {
  const prose = withoutInlineCode(withoutFences(answer))
  if (holdsMarkup(answer) || PIECE.test(prose) || BEGUN.test(prose)) return true
  const part = { text: answer, sections: [], tools, isFinal: false, isCut: false }
  const call = leakedCallFrom(part, 0)
  if (call?.ok && tools.includes(call.tool)) return true
  if (answer.includes('{') && (holdsJsonCall(part) || holdsBrokenCall(answer, tools))) return true
  return [...answer.matchAll(WRITTEN)].some(([, name = '']) => listedTool(name, tools) !== undefined)
}

/** Returns whether a text holds JSON of a call that cannot be read: a listed tool's name under its key, or as a key. */
function holdsBrokenCall(text: string, tools: string[]): boolean {
  const isListed = ([, name = '']: RegExpMatchArray) => listedTool(name, tools) !== undefined
  if (INPUT_KEY.test(text) && [...text.matchAll(TOOL_KEY)].some(isListed)) return true
  if (!BEGINS_JSON.test(text)) return false
  if (CUT_NAME.test(text)) return true
  const whole = parseJson(text.replace(/^\s{0,20}`{3}\w{0,9}|`{3}\s{0,20}$/g, '').trim())
  // JSON that can be read is an answer, unless all of it is a tool with its input.
  const isAnswer = whole !== undefined && (!isRecord(whole) || Object.values(whole).some((value) => !isRecord(value)))
  return !isAnswer && [...text.matchAll(KEY_OF_OBJECT)].some(isListed)
}

const TOOL_KEY =
  /["'“]?(?:name|tool|tool_?name|function|recipient_name|action)["'”]?\s{0,3}:\s{0,3}["'“]([\w.:-]{1,100})["'”]/giu
const CUT_NAME =
  /["'“](?:name|tool|tool_?name|function|recipient_name|action)["'”]\s{0,3}:\s{0,3}["'“][\w.:-]{0,100}$/iu
const INPUT_KEY = /["'“](?:arguments|parameters|args|input|action_?input|tool_?input|params|kwargs)["'”]\s{0,3}:/iu
const KEY_OF_OBJECT = /[{,]\s{0,9}["'“]([\w.:-]{1,100})["'”]\s{0,3}:\s{0,3}["'“{[]/gu
const BEGINS_JSON = /^\s{0,20}(?:`{3}\w{0,9}\s{0,9}|<\|\w{1,30}\|>\s{0,9})?[{[]/

/**
 * The text with its marks as a model writes them: without entities, backslashes, spaces in tags and tokens in names.
 */
function withMarksMended(text: string): string {
  const inQuotes = /^\s{0,20}"[^]*"\s*$/.test(text) ? parseJson(text.trim()) : undefined
  return withoutInlineCode(typeof inQuotes === 'string' ? inQuotes : text)
    .replace(/&(?:lt|gt|quot|amp|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\\(?=[_<>|"{}[\]])/g, '')
    .replace(/(?<=\w)<\|channel\|>\w{0,12}/g, '')
    .replace(/<\s{0,3}(\/?[a-z|｜][^<>\n]{0,80}?)\s{0,3}>/giu, '<$1>')
}

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&', '&#39;': "'" }

/** A piece of a call that lost the rest, a result in marks, or a label of a step. Such pieces are common in code. */
const PIECE =
  /[}\])]\s{0,9}<\/(?:function|invoke)>|<\/?(?:[|｜]tool[▁_ ]sep[|｜]|parameter name=|(?:[a-z]{1,16}_)?arg_(?:key|value)>|(?:tool|function)_(?:name|input|response|result|args)>)|(?<![^])\s*Observation ?[:：]|^[*_#\s]{0,6}Action[ _]Input[*_]{0,3} ?[:：]|^commentary to=/im

/** The beginning of a call where the text ends: all of it, or a tag on its last line. */
const BEGUN =
  /^\s{0,20}(?:`{3}\w{0,9}\s{0,9})?(?:<[|｜]?(?!\d)\w{0,20}|[{[]\s{0,9}\{?\s{0,9}(?:["'“]\w{0,20})?)$|(?<!\w)<[|｜/]{0,2}(?:tool|function|invoke|param|arg_)(?!\w{0,20}\.)[^<>\n]{0,60}$|\[TOOL_\w{0,9}$/i

export function withoutFences(text: string): string {
  return text.replace(/^(`{3,9}|~{3,9})(?!tool_code)[^\n]*\n[^]*?^\1/gm, '')
}

export function withoutInlineCode(text: string): string {
  return text.replace(/`[^`\n]{1,300}`/g, '')
}

/** A name with arguments, as in `search {"query": …`, `search(query=…`, `search[x]`, `<search>`, `Action: search`. */
const WRITTEN =
  /(?<![\w.:-])(?:Action(?: \d{1,3})?\s?[:：]\s?[`*"]{0,2}|<\/?)?([\w.:-]{1,100})(?:(?<=<\/?[\w.:-]{1,100})(?:\s[a-z]\w{0,30}=[^<>\n]{0,200})?\/?>|(?<=Action(?: \d{1,3})?\s?[:：]\s?[`*"]{0,2}[\w.:-]{1,100})(?![\w.:-])|\s?(?:[:：→]|[-=]>)?\s?\{\s?["}\w]|\(\s?(?:\w{1,40}\s?=|["'{])|\s\(\w{1,40}=["'\d[{]|\[ARGS\]|\[[^\]\n]{1,300}\](?!\())/gu

/** Returns whether a text says that it will use a listed tool. */
export function isAnnounced(text: string, tools: string[]): boolean {
  if (text.length > LONGEST_ANNOUNCEMENT) return false
  return ANNOUNCES.some((form) =>
    [...text.matchAll(form)].some(([, name = '']) => listedTool(name, tools) !== undefined),
  )
}

/** A longer text says more than that. In characters. */
const LONGEST_ANNOUNCEMENT = 1_000

/** What a model says about itself before it uses a tool. "I can use" tells what it is able to do. */
const INTENDS =
  "(?:\\b(?:I|we)(?:['’]ll| will| shall|['’](?:m|re)(?: going to)?| am(?: going to)?| are(?: going to)?| need to| must| have to| want to)(?: now| first| then| need to| be| have to)*|\\blet(?: me|['’]s| us)(?: now| first)?)(?! know\\b| (?:un|not )able\\b| not\\b)"
const USES =
  '(?<!how to )\\b(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?|query(?:ing)?|check(?:ing)?|consult(?:ing)?|try(?:ing)?|with|via|through)'
const QUOTE = '["\'`*]{0,3}'
const NAME = `(?: the| my| your)? ${QUOTE}([\\w.-]{1,100})${QUOTE}`

const ANNOUNCES = [
  // "I will use the ticket function", "let me look that up with the handbook tool"
  new RegExp(
    `${INTENDS}(?=[ ])(?:(?!\\b(?:if|not|recommend|suggest)\\b)[^.!?\\n]){0,80}?${USES}${NAME} (?:function|tool)\\b(?! (?:of|on|in) (?:the|this|your|its)\\b)`,
    'giu',
  ),
  // "I will call `ticket`", "I'm going to use employee to find out"
  new RegExp(`${INTENDS} (?:use|using|call|calling|invoke)(?: the)? ["\'\`]([\\w.-]{1,100})["\'\`]`, 'giu'),
  new RegExp(`${INTENDS} (?:use|using|call|calling|invoke)(?: the)? ([\\w.-]{1,100})(?= (?:to|with|for)\\b)`, 'giu'),
  // "Using the calculator function, …", "Calling `ticket` …"
  new RegExp(`(?:^|[.!?:\\n])\\s{0,9}(?:now )?(?:using|calling|invoking)${NAME} (?:function|tool)\\b`, 'giu'),
  // "Calling function `ticket` with …"
  new RegExp(
    `(?:^|[.!?:[\\n])\\s{0,9}(?:now )?(?:calling|invoking)(?: the)? (?:function|tool):? ${QUOTE}([\\w.-]{1,100})${QUOTE}`,
    'giu',
  ),
  // "you can use the ticket function with the input …", told to a person, who has no such function
  new RegExp(
    `\\byou (?:can|could|should|may|need to) (?:use|call|invoke)${NAME} (?:function|tool) with [^.!?\\n]{0,60}?\\b(?:input|arguments?|parameters?)\\b`,
    'giu',
  ),
  // "the ticket function will be used"
  new RegExp(
    `\\bthe ${QUOTE}([\\w.-]{1,100})${QUOTE} (?:function|tool) (?:will|should|must|has to|needs to) be (?:used|called)\\b`,
    'giu',
  ),
]
