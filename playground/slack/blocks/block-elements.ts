/** The parts that blocks are made of: text objects, buttons, menus, boxes to type in. */
import { isObject } from '../args.ts'
import type { Json } from '../types.ts'

/** Throws a refusal that names the fault. */
export type Complain = (why: string) => never

/** Elements for typing or picking. Slack checks little of them. */
const INPUTS = new Set(
  (
    'plain_text_input number_input email_text_input url_text_input rich_text_input file_input datepicker timepicker ' +
    'datetimepicker users_select conversations_select channels_select external_select multi_users_select ' +
    'multi_conversations_select multi_channels_select multi_external_select workflow_button'
  ).split(' '),
)
/** Elements with a list of options of their own. */
const MENUS = new Set('static_select multi_static_select overflow radio_buttons checkboxes'.split(' '))

/** Every kind of element that people press, type into or choose from. */
export const ELEMENT_KINDS: readonly string[] = ['button', ...INPUTS, ...MENUS]

/** Checks each of a block's elements. There must be at least one. */
export function each(block: Json, limits: { max: number; complain: Complain }, check: (element: Json) => void) {
  const elements = block['elements']
  if (!Array.isArray(elements) || elements.length === 0) return limits.complain('elements are missing')
  if (elements.length > limits.max) limits.complain(`${elements.length} elements, at most ${limits.max}`)
  for (const element of elements) {
    if (!isObject(element) || typeof element['type'] !== 'string') return limits.complain('an element without a type')
    check(element)
  }
}

/** Checks a text object: `plain_text` or `mrkdwn`, not empty, at most `max` characters. */
export function checkTextObject(value: unknown, options: { complain: Complain; max: number; plain?: boolean }) {
  const { complain, max, plain = false } = options
  if (!isObject(value)) return complain('a text object is missing')
  const { type, text } = value
  if (type !== 'plain_text' && (plain || type !== 'mrkdwn')) complain(`text of type ${String(type)}`)
  if (typeof text !== 'string' || text === '') return complain('a text is empty')
  if (text.length > max) complain(`a text of ${text.length} characters, at most ${max}`)
  if (type === 'mrkdwn' && value['emoji'] !== undefined) complain('emoji belongs to plain_text')
  if (type === 'plain_text' && value['verbatim'] !== undefined) complain('verbatim belongs to mrkdwn')
}

/** Checks an element that people press or choose from. */
export function checkAction(element: Json, complain: Complain) {
  const type = String(element['type'])
  const id = element['action_id']
  if (id !== undefined && (typeof id !== 'string' || id === '' || id.length > 255))
    complain('action_id of 1 to 255 characters')
  if (element['placeholder'] !== undefined) checkTextObject(element['placeholder'], { complain, max: 150, plain: true })
  if (element['confirm'] !== undefined) checkConfirm(element['confirm'], complain)
  if (type === 'button') return checkButton(element, complain)
  if (MENUS.has(type)) return checkMenu(element, complain)
  if (type === 'plain_text_input') return checkTyped(element, complain)
  if (!INPUTS.has(type)) complain(`unsupported element: ${type}`)
}

/** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
function checkButton(button: Json, complain: Complain) {
  const { text, value, url, style } = button
  checkTextObject(text, { complain, max: 75, plain: true })
  if (value !== undefined && (typeof value !== 'string' || value.length > 2000))
    complain('a value of at most 2000 characters')
  if (url !== undefined && (typeof url !== 'string' || url.length > 3000)) complain('a url of at most 3000 characters')
  if (style !== undefined && style !== 'primary' && style !== 'danger') complain(`style ${String(style)}`)
}

/** Checks a menu. An overflow takes 5 options, radio buttons and checkboxes 10, the others 100. */
function checkMenu(menu: Json, complain: Complain) {
  const groups = menu['option_groups']
  const options = Array.isArray(groups) ? groups.flatMap((group: Json) => group['options']) : menu['options']
  const max =
    menu['type'] === 'overflow' ? 5 : menu['type'] === 'radio_buttons' || menu['type'] === 'checkboxes' ? 10 : 100
  if (!Array.isArray(options) || options.length === 0 || options.length > max) return complain(`1 to ${max} options`)
  for (const option of options) {
    if (!isObject(option)) return complain('an option is no object')
    checkTextObject(option['text'], { complain, max: 75 })
    if (typeof option['value'] !== 'string' || option['value'].length > 150)
      complain('an option needs a value of at most 150')
    if (option['description'] !== undefined) checkTextObject(option['description'], { complain, max: 75 })
  }
  checkInitial(menu, options, complain)
}

/** An initial option must equal one of the options. */
function checkInitial(menu: Json, options: Json[], complain: Complain) {
  const { initial_option: one, initial_options: some } = menu
  const given: unknown[] = [...(one === undefined ? [] : [one]), ...(Array.isArray(some) ? some : [])]
  const known = options.map((option) => JSON.stringify(option))
  if (some !== undefined && (!Array.isArray(some) || some.length === 0)) complain('initial_options of none')
  if (given.some((option) => !known.includes(JSON.stringify(option)))) complain('an initial option that is no option')
}

/** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
function checkTyped(input: Json, complain: Complain) {
  const { min_length: min = 0, max_length: max = 3000, initial_value: initial = '' } = input
  if (typeof min !== 'number' || min < 0 || min > 3000) return complain('min_length of 0 to 3000')
  if (typeof max !== 'number' || max < 1 || max > 3000 || max < min) return complain('max_length of 1 to 3000')
  if (typeof initial !== 'string' || initial.length > max) complain(`initial_value of at most ${max} characters`)
}

/** Checks that an image has an address. Slack fetches the picture; here it is not fetched. */
export function checkImage(block: Json, complain: Complain) {
  const { image_url: url, slack_file: file, alt_text: alt, title } = block
  if (file === undefined && (typeof url !== 'string' || !/^https?:\/\//.test(url) || url.length > 3000))
    complain('image_url is no address')
  if (typeof alt !== 'string' || alt.length > 2000) complain('alt_text is missing or over 2000 characters')
  if (title !== undefined) checkTextObject(title, { complain, max: 2000, plain: true })
}

/** https://docs.slack.dev/reference/block-kit/blocks/input-block */
export function checkInput(block: Json, complain: Complain) {
  checkTextObject(block['label'], { complain, max: 2000, plain: true })
  if (block['hint'] !== undefined) checkTextObject(block['hint'], { complain, max: 2000, plain: true })
  const { element } = block
  if (!isObject(element)) return complain('an input needs an element')
  if (['button', 'overflow', 'workflow_button'].includes(String(element['type'])))
    complain(`unsupported element: ${String(element['type'])} in an input`)
  checkAction(element, complain)
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
function checkConfirm(confirm: unknown, complain: Complain) {
  if (!isObject(confirm)) return complain('confirm is no object')
  checkTextObject(confirm['title'], { complain, max: 100, plain: true })
  checkTextObject(confirm['text'], { complain, max: 300 })
  checkTextObject(confirm['confirm'], { complain, max: 30, plain: true })
  checkTextObject(confirm['deny'], { complain, max: 30, plain: true })
}
