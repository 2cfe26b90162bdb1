/** Draws the inputs of a form with their values: https://docs.slack.dev/reference/block-kit/blocks/input-block. */
import { choicesOf, initialOf, NO_OPTIONS } from './choices.js'
import { el } from './dom.js'
import { plainWords } from './mrkdwn.js'

/** Returns the values of a form's fields, by `action_id`. */
export function valuesIn(form) {
  const values = {}
  for (const group of form.querySelectorAll('[data-action]')) {
    const { action, kind } = group.dataset
    const chosen = [...group.querySelectorAll('input:checked')].map((box) => box.value)
    if (kind === 'several') values[action] = chosen
    else if (kind === 'one' && chosen.length > 0) values[action] = chosen[0]
    else if (kind === 'moment' && group.value !== '')
      values[action] = String(Math.floor(Date.parse(group.value) / 1000))
    else if (kind === 'typed' && (group.value !== '' || group.tagName !== 'SELECT')) values[action] = group.value
  }
  return values
}

/**
 * Draws an input block as a field with its label, hint and error.
 * @param {object} block
 * @param {{ values: Record<string, unknown>, errors: Record<string, string>, key?: string }} given the values typed so
 * far; `key` distinguishes places of a page that may hold the same block
 */
export function field(block, { values, errors, key = '' }) {
  const id = `field-${key}${block.block_id}`
  const action = block.element.action_id ?? block.block_id
  const error = errors[block.block_id]
  const notes = [
    block.hint && el('p.field-hint', { id: `${id}-hint` }, plainWords(block.hint)),
    error && el('p.field-error', { id: `${id}-error`, role: 'alert' }, error),
  ].filter(Boolean)
  const described = notes.map((note) => note.id).join(' ') || undefined
  const common = {
    id,
    'data-action': action,
    'aria-describedby': described,
    'aria-invalid': error ? 'true' : undefined,
  }
  const label = [plainWords(block.label), block.optional && el('span.quiet', {}, ' (optional)')]
  const make = FIELDS[block.element.type] ?? unknown
  const isRequired = block.optional !== true
  return el(
    'div.block.field',
    {},
    ...make(block.element, { common, label, id, isRequired, value: values[action] }),
    ...notes,
  )
}

const menu = (element, given) => [el('label', { for: given.id }, ...given.label), select(element, given)]
const several = (element, given) => [boxes(element, given, 'checkbox')]
const of = (type, initial) => (element, given) =>
  typed({ ...element, initial_value: element.initial_value ?? element[initial] }, given, type)

const FIELDS = {
  plain_text_input: of('text'),
  number_input: number,
  email_text_input: of('email'),
  url_text_input: of('url'),
  datepicker: of('date', 'initial_date'),
  timepicker: of('time', 'initial_time'),
  datetimepicker: moment,
  static_select: menu,
  users_select: menu,
  conversations_select: menu,
  channels_select: menu,
  external_select: menu,
  multi_static_select: several,
  multi_users_select: several,
  multi_conversations_select: several,
  multi_channels_select: several,
  multi_external_select: several,
  checkboxes: several,
  radio_buttons: (element, given) => [boxes(element, given, 'radio')],
}

/** Draws a placeholder for an unknown input, so that nothing is missing silently. */
function unknown(element, { label }) {
  return [el('p', {}, ...label), el('p.quiet', {}, `(an input of type ${element.type})`)]
}

function typed(element, { common, label, id, isRequired, value }, type) {
  const text = value ?? element.initial_value ?? ''
  const limits = { maxlength: element.max_length ?? 3000, minlength: element.min_length, required: isRequired }
  const placeholder = element.placeholder && plainWords(element.placeholder)
  const attributes = { ...common, ...limits, 'data-kind': 'typed', placeholder }
  const box = element.multiline
    ? el('textarea', { ...attributes, rows: 4 }, text)
    : el('input', { ...attributes, type, value: text, autocomplete: 'off', ...element.range })
  return [el('label', { for: id }, ...label), box]
}

/** Draws a number as a text field, because Slack accepts text. A phone shows its number keyboard. */
function number(element, given) {
  const inputmode = element.is_decimal_allowed ? 'decimal' : 'numeric'
  return typed({ ...element, range: { inputmode } }, given, 'text')
}

/** Draws a date and time. Slack's value is in seconds since the epoch; the browser shows its local time. */
function moment(element, { common, label, id, isRequired, value }) {
  const at = value ?? element.initial_date_time
  const offset = new Date().getTimezoneOffset() * 60
  const text = at === undefined ? '' : new Date((Number(at) - offset) * 1000).toISOString().slice(0, 16)
  const attributes = { ...common, 'data-kind': 'moment', type: 'datetime-local', required: isRequired, value: text }
  return [el('label', { for: id }, ...label), el('input', attributes)]
}

function select(element, { common, isRequired, value }) {
  const chosen = value ?? initialOf(element)[0]
  const option = ({ value: own, words }) => el('option', { value: own, selected: own === chosen }, words)
  const groups = choicesOf(element).map(({ label, options }) =>
    label ? [el('optgroup', { label }, ...options.map(option))] : options.map(option),
  )
  const nothing = element.placeholder ? plainWords(element.placeholder) : 'Choose'
  return el(
    'select',
    { ...common, 'data-kind': 'typed', required: isRequired },
    el('option', { value: '' }, nothing),
    ...groups.flat(),
  )
}

/** Draws radio buttons or checkboxes. */
function boxes(element, { common, label, id, value }, type) {
  const chosen = value === undefined ? initialOf(element) : [value].flat()
  const options = choicesOf(element).flatMap((group) => group.options)
  const box = ({ value: own, words, about }) =>
    el(
      'label.choice',
      {},
      el('input', { type, name: id, value: own, checked: chosen.includes(own) }),
      el('span', {}, words, about && el('span.quiet', {}, ` ${about}`)),
    )
  const kind = type === 'radio' ? 'one' : 'several'
  return el(
    'fieldset',
    { ...common, 'aria-invalid': undefined, 'data-kind': kind },
    el('legend', {}, ...label),
    element.placeholder && el('span.quiet', {}, plainWords(element.placeholder)),
    options.length === 0 && el('span.quiet', {}, NO_OPTIONS),
    ...options.map(box),
  )
}
