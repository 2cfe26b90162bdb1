/** Actions written as JSON anywhere in a turn: `{"action": "search", "action_input": …}` and its variants. */
import { isRecord } from '../../base/parse-json.ts'
import { readBareObject, readLoose, type Retries } from './loose-json.ts'
import {
  ANSWER,
  first,
  INPUT,
  isText,
  LONE_ANSWER,
  NAME,
  NESTED,
  otherFields,
  plainKey,
  textOf,
  THOUGHT,
  TOOL,
  type ActionFields,
} from './json-fields.ts'
import { BESIDE_ANSWER, QUOTED, thoughtBefore, type Match, type ModelOutput } from './model-output.ts'
import { isQuoted } from './quoted-call.ts'
import { braceAfter, matchAt, nextLine, tidy } from './text-lines.ts'
import { listedTool, namesFinish, namesNothing, toolNamed } from './tool-names.ts'

/** Matches before an object: a fence with its language, the bracket of a list, `<tool_call>`. */
const LEAD = /(?:[\s`~\\[]|json\b|<[\w|/]{1,20}>)*$/i
const LONGEST_LEAD = 60

/** How many quoted calls are passed over before the turn is given up. */
const MAX_QUOTED = 20

/** A bound on the objects tried in one turn. */
const MAX_OBJECTS = 1000

/**
 * Finds the first JSON object of a turn that calls a tool or gives the answer. Objects at the start of a line (after a
 * label, a fence, a bracket of a list) come before those inside a sentence. Reading continues where a failed object
 * ended, so every character is read at most once.
 */
export function readJsonBlock(turn: ModelOutput): Match | undefined {
  const anchors = anchorsOf(turn)
  return firstCall(turn, anchors.length > 0 ? anchors : braces(turn.text), isQuoted)
}

/** Returns whether a text holds a step as JSON: a call of a listed tool or in OpenAI's form, or an answer as a call. */
export function holdsJsonCall({ text, tools }: ModelOutput): boolean {
  const retries = { left: 4 }
  let from = 0
  let tried = 0
  for (const at of braces(text)) {
    if (at < from) continue
    if (++tried > MAX_OBJECTS) return false
    const loose = readLoose(text, at, retries)
    from = Math.max(at + 1, loose.ok ? loose.end : loose.at)
    const action = loose.ok ? actionIn(loose.value, tools) : undefined
    if (action?.kind === 'action' && tools.includes(action.tool)) return true
    if (action && loose.ok && isCallForm(loose.value)) return true
  }
  return false
}

const ARGUMENTS = ['arguments', 'args', 'parameters', 'kwargs']

function isCallForm(value: unknown): boolean {
  const keys = isRecord(value) ? Object.keys(value).map(plainKey) : []
  if (keys.includes('finalanswer')) return true
  const holds = (some: string[]) => some.some((key) => keys.includes(key))
  return keys.length === 2 && ((holds(TOOL) && holds(INPUT)) || (holds(NAME) && holds(ARGUMENTS)))
}

/** The calls of listed tools in a wrapper such as `{"tool_uses": […]}`. */
export function callsIn(wrapper: unknown, tools: string[]): { tool: string; input: unknown }[] {
  const list = isRecord(wrapper) ? Object.values(wrapper).find((value) => Array.isArray(value)) : wrapper
  if (!Array.isArray(list)) return []
  return list.slice(0, MAX_ITEMS).flatMap((item: unknown) => {
    const action = isRecord(item) ? actionIn(item, tools) : undefined
    return action?.kind === 'action' ? [{ tool: action.tool, input: action.input }] : []
  })
}

/** Reads the object in the value at `at` (`Action: {…}`), fenced or not. */
export function readJsonBlockAt(turn: ModelOutput, at: number): Match | undefined {
  const brace = braceAfter(turn.text, at)
  return brace === undefined ? undefined : firstCall(turn, [brace])
}

function firstCall(
  turn: ModelOutput,
  candidates: Iterable<number>,
  quotes: typeof isQuoted = () => false,
): Match | undefined {
  let quoted: Match | undefined
  let passedOver = 0
  const retries = { left: 4 }
  let from = 0
  let tried = 0
  for (const candidate of candidates) {
    for (let at: number | undefined = candidate < from ? undefined : candidate; at !== undefined;) {
      if (++tried > MAX_OBJECTS) return quoted
      const loose = readLoose(turn.text, at, retries)
      from = Math.max(at + 1, loose.ok ? loose.end : loose.at)
      if (!loose.ok && loose.cut) return placed(turn, at, { kind: 'fault', what: 'its JSON breaks off before the end' })
      const action = loose.ok ? wholeAction(turn, at, loose) : bareAction(turn, at, retries)
      if (action && (!loose.ok || !quotes(turn, { at: candidate, end: loose.end }))) {
        const isBeside = loose.ok && action.kind === 'action' && isBeforeAnswer(turn, loose.end, retries)
        return placed(turn, at, isBeside ? { kind: 'fault', what: BESIDE_ANSWER } : action)
      }
      if (action && ++passedOver > MAX_QUOTED) return quoted
      if (action) quoted ??= placed(turn, at, { kind: 'fault', what: QUOTED })
      at = loose.ok ? nextOfList(turn.text, loose.end) : undefined
    }
  }
  return quoted
}

function wholeAction(turn: ModelOutput, at: number, { value, end }: { value: unknown; end: number }) {
  return endsInString(turn.text, at, end) ? undefined : actionIn(value, turn.tools)
}

/** Reads an object without quotes, `{action: search, action_input: x}`: a listed tool with its input, or an answer. */
function bareAction(turn: ModelOutput, at: number, retries: Retries): JsonAction | undefined {
  if (!BEGINS_BARE.test(turn.text.slice(at, at + 80)) || retries.left-- <= 0) return undefined
  const bare = readBareObject(turn.text, at)
  if (!bare.ok) return bare.cut ? { kind: 'fault', what: 'its JSON breaks off before the end' } : undefined
  const action = actionIn(bare.value, turn.tools)
  return action?.kind === 'action' && !turn.tools.includes(action.tool) ? undefined : action
}

const BEGINS_BARE =
  /^\{\s{0,40}["'`]?(?:thought|action|tool|final)[\w -]{0,20}["'`]?\s{0,3}[:=]\s{0,9}["'`]?[\p{L}\p{N}]/iu

/** Returns whether the next object is the answer: then the call before it is only reported. */
function isBeforeAnswer({ text, tools }: ModelOutput, end: number, retries: Retries): boolean {
  const next = matchAt(NEXT_OBJECT, text, end)
  const loose = next ? readLoose(text, end + next[0].length, retries) : undefined
  return loose?.ok === true && actionIn(loose.value, tools)?.kind === 'finish'
}

const NEXT_OBJECT = /[\s`~,;]{0,40}(?:json\b\s{0,9})?(?=\{)/y

const NEXT_OF_LIST = /\s{0,40},\s{0,40}(?=\{)/y

/** Returns where the next object of the same list begins: the first may be text and the second the call. */
function nextOfList(text: string, end: number): number | undefined {
  NEXT_OF_LIST.lastIndex = end
  return NEXT_OF_LIST.test(text) ? NEXT_OF_LIST.lastIndex : undefined
}

/** A quote right after an object shows that the object ended inside a string with unescaped quotes. */
function endsInString(text: string, start: number, end: number): boolean {
  return /["'”’]/.test(text[end] ?? '') && text[start - 1] !== text[end]
}

/**
 * Adds the position and thought: the object's own thought, or the text before the object and its fence, list or tag.
 */
function placed(turn: ModelOutput, at: number, action: JsonAction): Match {
  const lead = LEAD.exec(turn.text.slice(Math.max(0, at - LONGEST_LEAD), at))?.[0].length ?? 0
  const before = thoughtBefore(turn, at - lead)
  const match = { ...action, at, thought: action.thought ?? before }
  return match.kind === 'action' ? { ...match, input: toolInput(turn, match.tool, match.input) } : match
}

/** Braces at the start of a line's value. */
function anchorsOf({ text, sections }: ModelOutput): number[] {
  const anchors: number[] = []
  if (!text.includes('{')) return anchors
  const labelled = new Map(sections.map((section) => [section.at, section.valueAt]))
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const brace = braceAfter(text, labelled.get(at) ?? at, nextLine(text, at))
    if (brace !== undefined) anchors.push(brace)
  }
  return anchors
}

function* braces(text: string): Generator<number> {
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) yield at
}

/** The meaning of a JSON object. */
type JsonAction =
  | { kind: 'action'; thought?: string; tool: string; input: unknown }
  | { kind: 'finish'; thought?: string; answer: string }
  | { kind: 'fault'; thought?: string; what: string }

/**
 * Reads a JSON value as a step: `{"action", "action_input"}`, its variants with `tool`, `name`, `arguments`, the
 * wrappers of native tool calls, or the first such item of a list. Undefined for any other object.
 */
function actionIn(value: unknown, tools: string[]): JsonAction | undefined {
  if (Array.isArray(value)) return firstIn(value, tools)
  if (!isRecord(value)) return undefined
  const fields: ActionFields = new Map(Object.entries(value).map(([key, field]) => [plainKey(key), field]))
  const inner = first(fields, NESTED, (field) => typeof field === 'object' && field !== null)
  const thought = textOf(first(fields, THOUGHT))
  const nested = inner === undefined ? undefined : actionIn(withInput(inner, fields), tools)
  const found = nested ?? called(value, fields, tools) ?? keyedByTool(value, tools) ?? answered(fields)
  return found && thought ? { thought, ...found } : found
}

/** The first item of a list that is a step. */
function firstIn(list: unknown[], tools: string[]): JsonAction | undefined {
  for (const item of list.slice(0, MAX_ITEMS)) {
    const action = isRecord(item) ? actionIn(item, tools) : undefined
    if (action) return action
  }
  return undefined
}

/** Reads `{"search": {"query": "x"}}`, for listed tools. */
function keyedByTool(value: object, tools: string[]): JsonAction | undefined {
  const [only, ...others] = Object.entries(value)
  const tool = only && others.length === 0 ? tools.find((each) => each === only[0]) : undefined
  return tool && isRecord(only?.[1]) ? { kind: 'action', tool, input: only[1] } : undefined
}

/** Reads `{"action": {"name": …}, "action_input": …}`: the input may stand beside the inner object. */
function withInput(inner: unknown, outer: ActionFields): unknown {
  const input = first(outer, INPUT)
  return isRecord(inner) && input !== undefined ? { input, ...inner } : inner
}

/** Reads an object that names a tool. `name` alone is too common: it needs an input beside it, or a listed tool. */
function called(value: object, fields: ActionFields, tools: string[]): JsonAction | undefined {
  const strong = textOf(first(fields, TOOL, isText))
  const weak = strong ? '' : textOf(first(fields, NAME, isText)) || listedType(fields, tools)
  const written = strong || weak
  const hasInput = INPUT.some((key) => fields.has(key))
  if (!strong && isDefinition(fields)) return undefined
  const listed = listedTool(written, tools)
  if (!written || (weak && !hasInput && !listed) || (!listed && namesNothing(written))) return undefined
  const input = hasInput ? first(fields, INPUT) : otherFields(value)
  if (!listed && namesFinish(written, tools)) return finish(objectIn(input))
  if (!listed && PARALLEL.test(written)) return actionIn(objectIn(input), tools)
  const tool = listed ?? toolNamed(written, tools)
  return tool ? { kind: 'action', tool, input } : undefined
}

/** Returns whether an object defines a tool, as a prompt does, and does not call it. Small models repeat such lists. */
function isDefinition(fields: ActionFields): boolean {
  const schema = fields.get('parameters')
  if (isRecord(schema) && schema['type'] === 'object' && isRecord(schema['properties'])) return true
  if (INPUT.some((key) => fields.has(key))) return false
  if (fields.has('inputschema')) return true
  const saysSo = fields.get('type') === 'function' || fields.has('strict')
  return saysSo && fields.has('description') && [...fields.keys()].every((key) => DEFINES.includes(key))
}

const DEFINES = [...NAME, 'description', 'type', 'strict']

/** OpenAI's wrapper of several calls, which some gateways pass on as a tool. */
export const PARALLEL = /^multi_tool_use[._]?parallel/

/** Reads `{"type": "search", "query": "x"}` if the type is a listed tool. */
function listedType(fields: ActionFields, tools: string[]): string {
  const type = textOf(fields.get('type'))
  return tools.includes(type) ? type : ''
}

function answered(fields: ActionFields): JsonAction | undefined {
  const isLone = [...fields.keys()].every((key) => [...LONE_ANSWER, ...THOUGHT].includes(key))
  const answer = first(fields, ANSWER) ?? (isLone ? first(fields, LONE_ANSWER) : undefined)
  return answer === undefined || answer === null ? undefined : finish(answer)
}

/** An object with one field is an answer with that field's value. Other values become JSON text. */
function finish(input: unknown): JsonAction {
  const only = isRecord(input) && Object.keys(input).length < 2 ? Object.values(input)[0] : input
  const isNothing = only === undefined || only === null || typeof only === 'string'
  const answer = textOf(only) || (isNothing ? '' : JSON.stringify(only))
  return answer ? { kind: 'finish', answer } : { kind: 'fault', what: 'its final answer is empty' }
}

/**
 * The input of a tool. A text that is one JSON object becomes an object: OpenAI's `arguments` are such texts, and
 * models write `action_input` like that too. It stays text if the tool accepts text and not that object.
 */
export function toolInput({ accepts }: ModelOutput, tool: string, input: unknown): unknown {
  const object = objectIn(input)
  return object !== input && accepts && !accepts(tool, object) && accepts(tool, input) ? input : object
}

function objectIn(input: unknown): unknown {
  const text = typeof input === 'string' ? tidy(input) : ''
  if (!/^\{\s{0,99}["'“‘}]/.test(text)) return input
  const loose = readLoose(text)
  return loose.ok && loose.end === text.length && isRecord(loose.value) ? loose.value : input
}

/** A bound on the items tried in a list. */
const MAX_ITEMS = 100
