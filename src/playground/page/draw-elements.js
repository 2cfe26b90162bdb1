/** What people press and choose from: https://docs.slack.dev/reference/block-kit/block-elements. */
import { el, link } from './dom.js'
import { emoji } from './emoji.js'
import { icon } from './icons.js'

/** Thumbs that were pressed, by where they stand: they stay marked when a message is drawn anew. */
const thumbs = new Map()

/**
 * @param {Record<string, any>} one an element of a block
 * @param {{ key: string, press(action: object): void }} context
 */
export function element(one, context) {
  return (ELEMENTS[one.type] ?? unknown)(one, context)
}

const ELEMENTS = {
  button: (one, context) => (one.url ? link(one.url, emoji(one.text.text)) : button(one, context)),
  icon_button: iconButton,
  feedback_buttons: feedback,
  static_select: (one, context) => select(one, context, 'Choose'),
  overflow: (one, context) => select(one, context, 'More'),
}

function unknown(one) {
  return el('span.quiet', {}, `(${one.type})`)
}

function button(one, context) {
  const look = one.style ? `.${one.style}` : ''
  const label = one.accessibility_label
  const attributes = { type: 'button', 'aria-label': label, title: label, onclick: () => ask(one, context) }
  return el(`button.button${look}`, attributes, emoji(one.text.text))
}

function iconButton(one, context) {
  const label = one.accessibility_label ?? one.text.text
  const attributes = { type: 'button', 'aria-label': label, title: label, onclick: () => ask(one, context) }
  return el('button.button.icon', attributes, icon('bin'))
}

/** Some buttons ask first. */
function ask(one, context) {
  const { title, text } = one.confirm ?? {}
  if (one.confirm && !window.confirm(`${title.text}\n\n${text.text}`)) return
  context.press({ action_id: one.action_id, value: one.value })
}

/** What is chosen is pressed at once; the menu then stands as it was. */
function select(one, context, name) {
  const label = one.placeholder?.text ?? name
  const options = (one.option_groups ?? [one]).flatMap((group) => group.options)
  const chosen = (event) => event.target.value && context.press({ action_id: one.action_id, value: event.target.value })
  return el(
    'select.menu-select',
    { 'aria-label': label, onchange: chosen },
    el('option', { value: '' }, emoji(label)),
    ...options.map(({ text, value }) =>
      el('option', { value, selected: value === one.initial_option?.value }, emoji(text.text)),
    ),
  )
}

/** Thumbs up and down; which one was pressed stays marked. */
function feedback(one, context) {
  const key = `${context.key}-${one.action_id}`
  const make = (side, sign) => {
    const { text, value, accessibility_label: label = text.text } = one[side]
    const attributes = {
      type: 'button',
      'aria-label': label,
      title: label,
      'aria-pressed': String(thumbs.get(key) === value),
      onclick: (event) => choose(event.currentTarget, value),
    }
    return el('button.button.icon', attributes, icon(sign))
  }
  const choose = (chosen, value) => {
    thumbs.set(key, value)
    for (const other of chosen.parentElement.children) other.setAttribute('aria-pressed', String(other === chosen))
    context.press({ action_id: one.action_id, value })
  }
  return el(
    'span.feedback',
    { role: 'group', 'aria-label': 'Feedback' },
    make('positive_button', 'thumb-up'),
    make('negative_button', 'thumb-down'),
  )
}
