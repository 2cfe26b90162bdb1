import { readLoose } from './loose-json.ts'
import { listedTool, namesFinish, namesNothing, toolNamed } from './names.ts'

/** What a JSON object asks for. */
export type JsonAction =
  | { kind: 'action'; thought?: string; tool: string; input: unknown }
  | { kind: 'finish'; thought?: string; answer: string }
  | { kind: 'fault'; thought?: string; what: string }

/** An object's fields by their plain keys. */
type Fields = Map<string, unknown>

// The keys below are plain: lower case, letters and digits alone.
const TOOL = ['action', 'tool', 'toolname', 'actionname', '行动', '动作', '行動', '動作']
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
  '行动输入',
  '动作输入',
]
const ANSWER = ['finalanswer', '最终答案', '最終答案']
const THOUGHT = ['thought', 'thoughts', 'reasoning', '思考']
const NESTED = ['toolcalls', 'toolcall', 'functioncall', 'function', 'actions', 'action', 'tool']
const OTHER = [...THOUGHT, ...ANSWER, 'id', 'type', 'callid', 'toolcallid']

/**
 * What a JSON value asks for: `{"action", "action_input"}`, its kin with `tool`, `name`, `arguments`, the wrappings of
 * native tool calls, or the first of a list. Undefined for an object that is about something else.
 */
export function actionIn(value: unknown, tools: string[]): JsonAction | undefined {
  if (Array.isArray(value)) return actionIn(value[0], tools)
  if (!isRecord(value)) return undefined
  const fields: Fields = new Map(Object.entries(value).map(([key, field]) => [plainKey(key), field]))
  const inner = first(fields, NESTED, (field) => typeof field === 'object' && field !== null)
  const thought = textOf(first(fields, THOUGHT))
  const nested = inner === undefined ? undefined : actionIn(withInput(inner, fields), tools)
  const found = nested ?? called(value, fields, tools) ?? answered(fields)
  return found && thought ? { thought, ...found } : found
}

/** `{"action": {"name": …}, "action_input": …}`: the input may stand beside the inner object. */
function withInput(inner: unknown, outer: Fields): unknown {
  const input = first(outer, INPUT)
  return isRecord(inner) && input !== undefined ? { input, ...inner } : inner
}

/** An object that names a tool. `name` alone is too common: it takes an input beside it, or a listed tool's name. */
function called(value: object, fields: Fields, tools: string[]): JsonAction | undefined {
  const strong = textOf(first(fields, TOOL, isText))
  const weak = strong ? '' : textOf(first(fields, NAME, isText))
  const written = strong || weak
  const hasInput = INPUT.some((key) => fields.has(key))
  const listed = listedTool(written, tools)
  if (!written || (weak && !hasInput && !listed) || (!listed && namesNothing(written))) return undefined
  const input = hasInput ? argumentsOf(fields, Boolean(weak)) : otherFields(value)
  if (!listed && (namesFinish(written) || written.toLowerCase() === 'answer')) return finish(input)
  const tool = listed ?? toolNamed(written, tools)
  return tool ? { kind: 'action', tool, input } : undefined
}

function answered(fields: Fields): JsonAction | undefined {
  const answer = first(fields, ANSWER)
  return answer === undefined || answer === null ? undefined : finish(answer)
}

/** An answer in an object of one field is that field; other values are shown as JSON. */
function finish(input: unknown): JsonAction {
  const only = isRecord(input) && Object.keys(input).length < 2 ? Object.values(input)[0] : input
  const isNothing = only === undefined || only === null || typeof only === 'string'
  const answer = textOf(only) || (isNothing ? '' : JSON.stringify(only))
  return answer ? { kind: 'finish', answer } : { kind: 'fault', what: 'its final answer is empty' }
}

/** The input under its key. OpenAI's `arguments` are JSON in a string; an `action_input` in a string is a string. */
function argumentsOf(fields: Fields, native: boolean): unknown {
  const input = first(fields, INPUT)
  if (!native || typeof input !== 'string') return input
  const loose = readLoose(input.trim())
  return loose.ok && isRecord(loose.value) ? loose.value : input
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
