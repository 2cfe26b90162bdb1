/** Draws the elements that people press and choose from: https://docs.slack.dev/reference/block-kit/block-elements. */
import { choicesOf, initialOf, NO_OPTIONS } from './choices.js'
import { el, link } from './dom.js'
import { icon } from './icons.js'
import { mrkdwn, plainWords } from './mrkdwn.js'
import { askWhether } from './own-window.js'

/** The pressed thumbs by place. They stay marked when a message is drawn again. */
const thumbs = new Map()

/**
 * @param {Record<string, any>} one an element of a block
 * @param {{ key: string, names: object, press(action: object): void }} context
 */
export function element(one, context) {
  return (ELEMENTS[one.type] ?? unknown)(one, context)
}

const menu = (one, context) => select(one, context, 'Choose')
const severalBoxes = (one, context) => boxes(one, context, 'checkbox')
const day = (type) => (one, context) => moment(one, context, type)

const ELEMENTS = {
  button: (one, context) => (one.url ? linkButton(one) : button(one, context)),
  workflow_button: button,
  icon_button: iconButton,
  feedback_buttons: feedback,
  static_select: menu,
  users_select: menu,
  conversations_select: menu,
  channels_select: menu,
  external_select: menu,
  overflow: (one, context) => select(one, context, 'More'),
  multi_static_select: severalBoxes,
  multi_users_select: severalBoxes,
  multi_conversations_select: severalBoxes,
  multi_channels_select: severalBoxes,
  multi_external_select: severalBoxes,
  checkboxes: severalBoxes,
  radio_buttons: (one, context) => boxes(one, context, 'radio'),
  datepicker: day('date'),
  timepicker: day('time'),
  datetimepicker: day('datetime-local'),
}

function unknown(one) {
  return el('span.quiet', {}, `(an element of type ${one.type})`)
}

const lookOf = ({ style }) => (style === 'primary' || style === 'danger' ? `.${style}` : '')

function button(one, context) {
  const label = one.accessibility_label
  const onclick = () => ask(one, context, { value: one.value })
  return el(
    `button.button${lookOf(one)}`,
    { type: 'button', 'aria-label': label, title: label, onclick },
    plainWords(one.text),
  )
}

/** Draws a link that looks like a button. */
function linkButton(one) {
  const node = link(one.url, plainWords(one.text))
  node.className = ['button', one.style].filter(Boolean).join(' ')
  return node
}

function iconButton(one, context) {
  const label = one.accessibility_label ?? one.text.text
  const onclick = () => ask(one, context, { value: one.value })
  return el('button.button.icon', { type: 'button', 'aria-label': label, title: label, onclick }, icon('bin'))
}

/** Asks for confirmation first if the app wants that, in the app's words. */
function ask(one, context, chosen) {
  const press = () => context.press({ action_id: one.action_id, ...chosen })
  if (!one.confirm) return press()
  const { title, text, confirm, deny, style } = one.confirm
  const words = text.type === 'mrkdwn' ? mrkdwn(text.text, context.names) : plainWords(text)
  askWhether({ title: plainWords(title), text: words, yes: plainWords(confirm), no: plainWords(deny), style }, press)
}

/** Draws a menu. A choice is sent at once, and the menu then shows its initial choice again. */
function select(one, context, name) {
  const label = one.placeholder ? plainWords(one.placeholder) : name
  const chosen = initialOf(one)
  const onchange = ({ target }) => target.value && ask(one, context, { value: target.value })
  const option = ({ value, words }) => el('option', { value, selected: chosen.includes(value) }, words)
  const groups = choicesOf(one).map(({ label: of, options }) =>
    of ? [el('optgroup', { label: of }, ...options.map(option))] : options.map(option),
  )
  return el(
    'select.menu-select',
    { 'aria-label': label, onchange },
    el('option', { value: '' }, label),
    ...groups.flat(),
  )
}

/** Draws radio buttons or checkboxes. Every change is sent at once. */
function boxes(one, context, type) {
  const chosen = initialOf(one)
  const tell = ({ currentTarget: list, target }) => {
    const values = [...list.querySelectorAll('input:checked')].map((box) => box.value)
    ask(one, context, type === 'radio' ? { value: target.value } : { chosen: values })
  }
  const box = ({ value, words, about }) =>
    el(
      'label.choice',
      {},
      el('input', { type, name: `${context.key}-${one.action_id}`, value, checked: chosen.includes(value) }),
      el('span', {}, words, about && el('span.quiet', {}, ` ${about}`)),
    )
  const label = one.placeholder ? plainWords(one.placeholder) : 'Choose'
  const options = choicesOf(one).flatMap(({ options: all }) => all)
  const drawn = options.length > 0 ? options.map(box) : [el('span.quiet', {}, NO_OPTIONS)]
  return el(
    'div.choices',
    { role: 'group', 'aria-label': label, onchange: tell },
    one.placeholder && el('span.quiet', { 'aria-hidden': 'true' }, label),
    ...drawn,
  )
}

/** Draws a date, a time or both. Slack's datetime is in seconds since the epoch. */
function moment(one, context, type) {
  const label = one.placeholder
    ? plainWords(one.placeholder)
    : ({ date: 'Date', time: 'Time' }[type] ?? 'Date and time')
  const value = one.initial_date ?? one.initial_time
  const isMoment = type === 'datetime-local'
  const tell = ({ target }) => {
    if (target.value === '') return
    ask(one, context, { value: isMoment ? String(Math.floor(Date.parse(target.value) / 1000)) : target.value })
  }
  return el('input.menu-select', { type, value, 'aria-label': label, onchange: tell })
}

/** Draws thumbs up and down. The pressed one stays marked. */
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
