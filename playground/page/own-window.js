/** The page's own dialog: edits a text, or asks for a confirmation. The app is not involved. */
import { byId, el } from './dom.js'
import { field, valuesIn } from './form-fields.js'

const dialog = () => byId('own-window')

/** Asks for a text. `done` gets the new text. */
export function askText({ title, text, button, multiline }, done) {
  const box = field(
    {
      block_id: 'own',
      label: { text: title },
      element: { type: 'plain_text_input', action_id: 'own', multiline, max_length: 12_000 },
    },
    { values: { own: text }, errors: {} },
  )
  const form = windowOf({ title, body: box, buttons: [cancel(), primary(button)] }, () => {
    const { own } = valuesIn(form)
    hide()
    if (own.trim() !== '' && own !== text) done(own)
  })
  const input = box.querySelector('input, textarea')
  if (multiline) input.addEventListener('keydown', sendsOnEnter(form))
  open(form, input)
  input.setSelectionRange(input.value.length, input.value.length)
}

/** Asks for several values. `done` gets them by the `action_id` of their elements. */
export function askFields({ title, fields, button }, done) {
  const boxes = fields.map((one) => field(one, { values: {}, errors: {}, key: 'own' }))
  const form = windowOf({ title, body: el('div', {}, ...boxes), buttons: [cancel(), primary(button)] }, () => {
    const values = valuesIn(form)
    hide()
    void done(values)
  })
  open(form, form.querySelector('select, input, textarea'))
}

/** Makes Enter save an edit, and Shift+Enter insert a line break, as in the message box. */
function sendsOnEnter(form) {
  return (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  }
}

/** Asks for a confirmation. `text` is a string or nodes. Cancel has the focus if the action cannot be undone. */
export function askWhether({ title, text, yes, no = 'Cancel', style = 'primary' }, done) {
  const body = el('div', {}, ...[text].flat())
  const refuse = cancel(no)
  const agree = el(`button.button.${style}`, { type: 'submit' }, yes)
  const form = windowOf({ title, body, buttons: [refuse, agree] }, () => {
    hide()
    done()
  })
  open(form, style === 'danger' ? refuse : agree)
}

function windowOf({ title, body, buttons }, send) {
  const onsubmit = (event) => {
    event.preventDefault()
    send()
  }
  return el(
    'form.modal-form',
    { method: 'dialog', onsubmit },
    el('header.modal-header', {}, el('h2', { id: 'own-title' }, title), closing()),
    el('div.modal-body', {}, body),
    el('footer.modal-footer', {}, ...buttons),
  )
}

function closing() {
  const attributes = { type: 'button', 'aria-label': 'Close', onclick: hide }
  return el('button.icon-button', attributes, el('span', { 'aria-hidden': 'true' }, '✕'))
}

function cancel(words = 'Cancel') {
  return el('button.button', { type: 'button', onclick: hide }, words)
}

function primary(words) {
  return el('button.button.primary', { type: 'submit' }, words)
}

/** The browser returns the focus to its previous place. */
function open(form, first) {
  const own = dialog()
  own.replaceChildren(form)
  own.oncancel = (event) => (event.preventDefault(), hide())
  if (!own.open) own.showModal()
  first.focus()
}

function hide() {
  dialog().close()
  dialog().replaceChildren()
}
