import { readLoose } from './loose-json.ts'
import { listedTool, namesFinish, namesNothing, toolNamed } from './names.ts'
import { tidy } from './trim.ts'

/** What a JSON object asks for. */
export type JsonAction =
  | { kind: 'action'; thought?: string; tool: string; input: unknown }
  | { kind: 'finish'; thought?: string; answer: string }
  | { kind: 'fault'; thought?: string; what: string }

/** An object's fields by their plain keys. */
type Fields = Map<string, unknown>

// The keys below are plain: lower case, letters and digits alone.
const TOOL = [
  ...['action', 'tool', 'toolname', 'actionname', 'nextaction', 'tooltouse', 'selectedtool', 'recipientname'],
  ...['行动', '动作', '行動', '動作', '工具'],
]
/** Keys that name many other things besides tools. */
const NAME = ['name', 'function', 'functionname']
const INPUT = [
  'actioninput',
  'toolinput',
  'input',
  'arguments',
  'args',
  'parameters',
  'params',
  'kwargs',
  'inputs',
  'argument',
  'toolargs',
  'toolarguments',
  'toolparameters',
  'toolparams',
  'actionargs',
  'actionarguments',
  'actionparameters',
  'functionargs',
  '行动输入',
  '动作输入',
]
const ANSWER = ['finalanswer', 'finalresponse', '最终答案', '最終答案']
/** Keys that hold the answer where nothing but a thought stands beside them. */
const LONE_ANSWER = ['answer', '答案', '回答']
const THOUGHT = ['thought', 'thoughts', 'reasoning', '思考']
const NESTED = [
  ...['toolcalls', 'toolcall', 'tooluses', 'tooluse', 'functioncalls', 'functioncall', 'function', 'calls', 'call'],
  ...['actions', 'action', 'nextaction', 'tool', 'command'],
]
const OTHER = [...THOUGHT, ...ANSWER, 'id', 'type', 'callid', 'toolcallid']

/**
 * What a JSON value asks for: `{"action", "action_input"}`, its kin with `tool`, `name`, `arguments`, the wrappings of
 * native tool calls, or the first of a list. Undefined for an object that is about something else.
 */
export function actionIn(value: unknown, tools: string[]): JsonAction | undefined {
  if (Array.isArray(value)) return firstIn(value, tools)
  if (!isRecord(value)) return undefined
  const fields: Fields = new Map(Object.entries(value).map(([key, field]) => [plainKey(key), field]))
  const inner = first(fields, NESTED, (field) => typeof field === 'object' && field !== null)
  const thought = textOf(first(fields, THOUGHT))
  const nested = inner === undefined ? undefined : actionIn(withInput(inner, fields), tools)
  const found = nested ?? called(value, fields, tools) ?? keyedByTool(value, tools) ?? answered(fields)
  return found && thought ? { thought, ...found } : found
}

/** The first of a list that asks for something; most are asked for by the first of all. */
function firstIn(list: unknown[], tools: string[]): JsonAction | undefined {
  for (const item of list.slice(0, MOST_ITEMS)) {
    const action = isRecord(item) ? actionIn(item, tools) : undefined
    if (action) return action
  }
  return undefined
}

/** `{"search": {"query": "x"}}`, of a listed tool. */
function keyedByTool(value: object, tools: string[]): JsonAction | undefined {
  const [only, ...others] = Object.entries(value)
  const tool = only && others.length === 0 ? tools.find((each) => each === only[0]) : undefined
  return tool && isRecord(only?.[1]) ? { kind: 'action', tool, input: only[1] } : undefined
}

/** `{"action": {"name": …}, "action_input": …}`: the input may stand beside the inner object. */
function withInput(inner: unknown, outer: Fields): unknown {
  const input = first(outer, INPUT)
  return isRecord(inner) && input !== undefined ? { input, ...inner } : inner
}

/** An object that names a tool. `name` alone is too common: it takes an input beside it, or a listed tool's name. */
function called(value: object, fields: Fields, tools: string[]): JsonAction | undefined {
  const strong = textOf(first(fields, TOOL, isText))
  const weak = strong ? '' : textOf(first(fields, NAME, isText)) || listedType(fields, tools)
  const written = strong || weak
  const hasInput = INPUT.some((key) => fields.has(key))
  const listed = listedTool(written, tools)
  if (!written || (weak && !hasInput && !listed) || (!listed && namesNothing(written))) return undefined
  const input = hasInput ? argumentsOf(fields) : otherFields(value)
  if (!listed && namesFinish(written, tools)) return finish(input)
  const tool = listed ?? toolNamed(written, tools)
  return tool ? { kind: 'action', tool, input } : undefined
}

/** `{"type": "search", "query": "x"}`, where the type is a listed tool. */
function listedType(fields: Fields, tools: string[]): string {
  const type = textOf(fields.get('type'))
  return tools.includes(type) ? type : ''
}

function answered(fields: Fields): JsonAction | undefined {
  const isLone = [...fields.keys()].every((key) => [...LONE_ANSWER, ...THOUGHT].includes(key))
  const answer = first(fields, ANSWER) ?? (isLone ? first(fields, LONE_ANSWER) : undefined)
  return answer === undefined || answer === null ? undefined : finish(answer)
}

/** An answer in an object of one field is that field; other values are shown as JSON. */
function finish(input: unknown): JsonAction {
  const only = isRecord(input) && Object.keys(input).length < 2 ? Object.values(input)[0] : input
  const isNothing = only === undefined || only === null || typeof only === 'string'
  const answer = textOf(only) || (isNothing ? '' : JSON.stringify(only))
  return answer ? { kind: 'finish', answer } : { kind: 'fault', what: 'its final answer is empty' }
}

/** The input under its key. OpenAI's `arguments` are JSON in a string, and models write `action_input` so, too. */
function argumentsOf(fields: Fields): unknown {
  return objectIn(first(fields, INPUT))
}

/** A text that is an object in JSON and nothing more becomes the object. */
export function objectIn(input: unknown): unknown {
  const text = typeof input === 'string' ? tidy(input) : ''
  if (!/^\{\s{0,99}["'“‘}]/.test(text)) return input
  const loose = readLoose(text)
  return loose.ok && loose.end === text.length && isRecord(loose.value) ? loose.value : input
}

/** Without an input key, the fields that are neither the tool nor a remark are the input; there may be none. */
function otherFields(value: object): Record<string, unknown> {
  const known = [...TOOL, ...NAME, ...OTHER]
  return Object.fromEntries(Object.entries(value).filter(([key]) => !known.includes(plainKey(key))))
}

/** The field under the first of `keys` that is there and fits. */
function first(fields: Fields, keys: string[], fits: (field: unknown) => boolean = () => true): unknown {
  const key = keys.find((candidate) => fields.has(candidate) && fits(fields.get(candidate)))
  return key === undefined ? undefined : fields.get(key)
}

/** `Action Input`, `actionInput`, `action_input` and `action\\_input` are one key. */
function plainKey(key: string): string {
  return key.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

/** No honest list of calls is longer. */
const MOST_ITEMS = 100

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
