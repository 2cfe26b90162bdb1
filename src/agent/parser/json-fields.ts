/** The fields of a JSON action, by the many names that models give them. */

/** An object's fields by normalised key. */
export type ActionFields = Map<string, unknown>

// The keys below are normalised: lower case, only letters and digits.
export const TOOL = [
  ...['action', 'tool', 'toolname', 'actionname', 'nextaction', 'tooltouse', 'selectedtool', 'recipientname'],
  ...['行动', '动作', '行動', '動作', '工具'],
]
/** Keys that often mean something other than a tool. */
export const NAME = ['name', 'function', 'functionname']
export const INPUT = [
  ...['actioninput', 'toolinput', 'input', 'arguments', 'args', 'parameters', 'params', 'kwargs', 'inputs'],
  ...['argument', 'toolargs', 'toolarguments', 'toolparameters', 'toolparams', 'actionargs', 'actionarguments'],
  ...['actionparameters', 'functionargs', '行动输入', '动作输入'],
]
export const ANSWER = ['finalanswer', 'finalresponse', '最终答案', '最終答案']
/** Keys that hold the answer if only a thought stands beside them. */
export const LONE_ANSWER = ['answer', '答案', '回答']
export const THOUGHT = ['thought', 'thoughts', 'reasoning', '思考']
export const NESTED = [
  ...['toolcalls', 'toolcall', 'tooluses', 'tooluse', 'functioncalls', 'functioncall', 'function', 'calls', 'call'],
  ...['actions', 'action', 'nextaction', 'tool', 'command', 'step'],
]
const OTHER = [...THOUGHT, ...ANSWER, 'id', 'type', 'callid', 'toolcallid']

/** Without an input key, the remaining fields are the input. It may be empty. */
export function otherFields(value: object): Record<string, unknown> {
  const known = [...TOOL, ...NAME, ...OTHER]
  return Object.fromEntries(Object.entries(value).filter(([key]) => !known.includes(plainKey(key))))
}

/** The first field among `keys` that exists and fits. */
export function first(fields: ActionFields, keys: string[], fits: (field: unknown) => boolean = () => true): unknown {
  const key = keys.find((candidate) => fields.has(candidate) && fits(fields.get(candidate)))
  return key === undefined ? undefined : fields.get(key)
}

/** Normalises a key: `Action Input`, `actionInput`, `action_input` and `action\\_input` are equal. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

export function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
