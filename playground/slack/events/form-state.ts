/** The values of a view's elements, in the form of `view.state.values`. */
import { isObject } from '../args.ts'
import type { Json } from '../types.ts'

/** The filled-in values, by `action_id` or `block_id`: a text, an option's value, or several. */
export type FormValues = Record<string, string | string[]>

/** An element of a form, and its block. */
interface FormInput {
  block: string
  action: string
  label: string
  element: Json
  isRequired: boolean
}

/** Returns the state of a view's elements, and the labels of empty required ones. @throws Error for an unknown name */
export function formState(view: Json, given: FormValues): { state: { values: Json }; missing: string[] } {
  const fields = fieldsOf(view)
  for (const name of Object.keys(given))
    if (!fields.some(({ block, action }) => name === action || name === block))
      throw new Error(`The view has no element ${name}; it has ${fields.map(({ action }) => action).join(', ')}.`)
  const values: Record<string, Json> = {}
  const missing: string[] = []
  for (const field of fields) {
    const value = filled(field.element, given[field.action] ?? given[field.block])
    values[field.block] = { ...values[field.block], [field.action]: { type: field.element['type'], ...value } }
    if (field.isRequired && isEmpty(value)) missing.push(field.label)
  }
  return { state: { values }, missing }
}

/** Returns the state of a message's elements, as a press carries it. Blocks without an id are named by their index. */
export function messageState(blocks: Json[] = [], given: FormValues): { values: Json } {
  const named = blocks.map((block, index) => ({ ...block, block_id: block['block_id'] ?? `b${index}` }))
  return formState({ blocks: named }, given).state
}

/** Yields the elements that hold a value: inputs, and elements of actions and sections. */
function fieldsOf(view: Json): FormInput[] {
  const blocks: Json[] = Array.isArray(view['blocks']) ? view['blocks'] : []
  return blocks.flatMap((block) => {
    const several = Array.isArray(block['elements']) && block['type'] === 'actions' ? block['elements'] : []
    const elements = [block['element'], block['accessory'], ...several].filter(isObject)
    const label = isObject(block['label']) ? String(block['label']['text']) : String(block['block_id'])
    const isRequired = block['type'] === 'input' && block['optional'] !== true
    return elements
      .filter((element) => !['button', 'overflow', 'image'].includes(String(element['type'])))
      .map((element) => {
        const action = String(element['action_id'] ?? block['block_id'])
        return { block: String(block['block_id']), action, label, element, isRequired }
      })
  })
}

/** Returns the key of an element's value if it is not one of its options: a person, a channel, a date. */
export function pickedKey(type: string): string | undefined {
  const [, several, kind] = /^(multi_)?(user|conversation|channel)s_select$/.exec(type) ?? []
  if (kind) return `selected_${kind}${several ? 's' : ''}`
  return { datepicker: 'selected_date', timepicker: 'selected_time' }[type]
}

/** Returns the value of an element: the filled-in one, else the initial one. */
function filled(element: Json, value: string | string[] | undefined): Json {
  const type = String(element['type'])
  const picked = pickedKey(type)
  if (picked !== undefined) {
    const given = value === '' ? null : value
    return { [picked]: given ?? element[picked.replace('selected', 'initial')] ?? (picked.endsWith('s') ? [] : null) }
  }
  if (/^multi_|^checkboxes$/.test(type)) {
    const initial = element['initial_options'] ?? []
    return { selected_options: value === undefined ? initial : [value].flat().map((one) => option(element, one)) }
  }
  if (/select$|^radio_buttons$/.test(type)) {
    const initial = element['initial_option'] ?? null
    return { selected_option: value === undefined ? initial : option(element, String(value)) }
  }
  if (type === 'datetimepicker') {
    const at = value === undefined || value === '' ? element['initial_date_time'] : Number(value)
    return { selected_date_time: at ?? null }
  }
  return { value: value === undefined ? (element['initial_value'] ?? null) : typed(element, String(value)) }
}

/** Checks the length of a text, as Slack's window does. */
function typed(element: Json, text: string): string | null {
  const { min_length: min = 0, max_length: max = 3000 } = element
  if (text.length > Number(max)) throw new Error(`A text of ${text.length} characters, at most ${String(max)}.`)
  if (text !== '' && text.length < Number(min)) throw new Error(`A text of at least ${String(min)} characters.`)
  return text === '' ? null : text
}

/** Returns the option with this value. @throws Error if there is none */
export function option(element: Json, value: string): Json {
  const groups: Json[] = Array.isArray(element['option_groups']) ? element['option_groups'] : [element]
  const options = groups.flatMap((group): Json[] => (Array.isArray(group['options']) ? group['options'] : []))
  const found = options.find((one) => one['value'] === value)
  if (found) return found
  throw new Error(`There is no option ${value}; there are ${options.map((one) => String(one['value'])).join(', ')}.`)
}

function isEmpty(value: Json): boolean {
  const [held] = Object.values(value)
  return held === null || held === '' || (Array.isArray(held) && held.length === 0)
}
