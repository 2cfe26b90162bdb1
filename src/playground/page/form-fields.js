/** Inputs of a form, with what stands in them: https://docs.slack.dev/reference/block-kit/blocks/input-block. */
import { el } from './dom.js'
import { emoji } from './emoji.js'

/** The values of a form's fields, by `action_id`. */
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
 * An input block as a field with its label, hint and error.
 * @param {object} block
 * @param {{ values: Record<string, unknown>, errors: Record<string, string>, key?: string }} given what stands in it already; `key` tells
 *   the places of a page apart that may hold the same block
 */
export function field(block, { values, errors, key = '' }) {
  const id = `field-${key}${block.block_id}`
  const action = block.element.action_id ?? block.block_id
  const error = errors[block.block_id]
  const notes = [
    block.hint && el('p.field-hint', { id: `${id}-hint` }, emoji(block.hint.text)),
    error && el('p.field-error', { id: `${id}-error`, role: 'alert' }, error),
  ].filter(Boolean)
  const described = notes.map((note) => note.id).join(' ') || undefined
  const common = {
    id,
    'data-action': action,
    'aria-describedby': described,
    'aria-invalid': error ? 'true' : undefined,
  }
  const label = [emoji(block.label.text), block.optional && el('span.quiet', {}, ' (optional)')]
  const make = FIELDS[block.element.type] ?? FIELDS.plain_text_input
  const isRequired = block.optional !== true
  return el(
    'div.block.field',
    {},
    ...make(block.element, { common, label, id, isRequired, value: values[action] }),
    ...notes,
  )
}

const FIELDS = {
  plain_text_input: typed,
  number_input: typed,
  email_text_input: (element, given) => typed(element, given, 'email'),
  datepicker: (element, given) => typed({ ...element, initial_value: element.initial_date }, given, 'date'),
  datetimepicker: moment,
  static_select: (element, given) => [el('label', { for: given.id }, ...given.label), select(element, given)],
  multi_static_select: (element, given) => [boxes(element, given, 'checkbox')],
  checkboxes: (element, given) => [boxes(element, given, 'checkbox')],
  radio_buttons: (element, given) => [boxes(element, given, 'radio')],
}

function typed(element, { common, label, id, isRequired, value }, type = 'text') {
  const text = value ?? element.initial_value ?? ''
  const limits = { maxlength: element.max_length ?? 3000, minlength: element.min_length, required: isRequired }
  const attributes = { ...common, ...limits, 'data-kind': 'typed', placeholder: element.placeholder?.text }
  const box = element.multiline
    ? el('textarea', { ...attributes, rows: 4 }, text)
    : el('input', { ...attributes, type, value: text, autocomplete: 'off' })
  return [el('label', { for: id }, ...label), box]
}

/** Slack counts the seconds since the epoch; the browser shows its own clock. */
function moment(element, { common, label, id, isRequired, value }) {
  const at = value ?? element.initial_date_time
  const offset = new Date().getTimezoneOffset() * 60
  const text = at === undefined ? '' : new Date((Number(at) - offset) * 1000).toISOString().slice(0, 16)
  const attributes = { ...common, 'data-kind': 'moment', type: 'datetime-local', required: isRequired, value: text }
  return [el('label', { for: id }, ...label), el('input', attributes)]
}

function select(element, { common, isRequired, value }) {
  const chosen = value ?? element.initial_option?.value
  const option = (one) => el('option', { value: one.value, selected: one.value === chosen }, emoji(one.text.text))
  const groups = element.option_groups?.map(({ label, options }) =>
    el('optgroup', { label: label.text }, ...options.map(option)),
  )
  return el(
    'select',
    { ...common, 'data-kind': 'typed', required: isRequired },
    el('option', { value: '' }, emoji(element.placeholder?.text ?? 'Choose')),
    ...(groups ?? element.options.map(option)),
  )
}

/** One or several of a few, each in sight. */
function boxes(element, { common, label, id, value }, type) {
  const initial = [element.initial_option, ...(element.initial_options ?? [])].filter(Boolean).map((one) => one.value)
  const chosen = value === undefined ? initial : [value].flat()
  const options = (element.option_groups ?? [element]).flatMap((group) => group.options)
  const box = (one) =>
    el(
      'label.choice',
      {},
      el('input', { type, name: id, value: one.value, checked: chosen.includes(one.value) }),
      el('span', {}, emoji(one.text.text), one.description && el('span.quiet', {}, ` ${one.description.text}`)),
    )
  const kind = type === 'radio' ? 'one' : 'several'
  return el(
    'fieldset',
    { ...common, 'aria-invalid': undefined, 'data-kind': kind },
    el('legend', {}, ...label),
    ...options.map(box),
  )
}
