/** The window over the page that shows the app's modals. */
import { byId, el } from './dom.js'
import { renderBlocks } from './draw-blocks.js'
import { field, valuesIn } from './form-fields.js'
import { plainWords } from './mrkdwn.js'
import { names, state } from './state.js'

const dialog = byId('modal')
/** The `id` and `hash` of the visible view, and its last error. */
let shown = { id: '', hash: '' }

/**
 * Shows the uppermost of the open modals, or none. Typed values are kept if the same field comes again.
 * @param {object[]} modals
 * @param {object} acts `submitView(view, values)`, `closeView(view)`, `pressView(view, values, action)`, `openRun(of)`
 */
export function showModals(modals, acts) {
  const view = modals.at(-1)
  if (!view) return shown.id !== '' && hide()
  if (view.id === shown.id && view.hash === shown.hash) return
  const values = view.id === shown.id ? valuesIn(dialog) : {}
  shown = { id: view.id, hash: view.hash }
  draw(view, { values, errors: {}, acts })
}

function hide() {
  shown = { id: '', hash: '' }
  dialog.close()
  dialog.replaceChildren()
}

function draw(view, { values, errors, acts }) {
  const form = el('form.modal-form', { method: 'dialog', onsubmit: (event) => send(event, view, acts) })
  const context = {
    key: view.id,
    names,
    press: (action) => acts.pressView(view.id, valuesIn(form), action),
    field: (block) => field(block, { values, errors }),
  }
  const close = el(
    'button.button',
    { type: 'button', onclick: () => acts.closeView(view.id) },
    words(view.close, 'Close'),
  )
  const submit = view.submit && el('button.button.primary', { type: 'submit' }, words(view.submit, 'Submit'))
  form.append(
    header(words(view.title, ''), () => acts.closeView(view.id)),
    el(
      'div.modal-body',
      { tabindex: 0, role: 'group', 'aria-labelledby': 'modal-title' },
      errors[''] && el('p.alert.error', { role: 'alert' }, errors['']),
      ...renderBlocks(view.blocks, context),
    ),
    el('footer.modal-footer', {}, runLink(view, acts), close, submit),
  )
  dialog.oncancel = (event) => (event.preventDefault(), acts.closeView(view.id))
  open(form)
}

/** Draws a link from the modal of a question's work to the exchanges of its run. */
function runLink(view, acts) {
  const { workOf } = state
  if (!workOf || words(view.title, '') !== WORK) return undefined
  const go = () => {
    acts.closeView(view.id)
    void acts.openRun(workOf)
  }
  return el('button.link-button', { type: 'button', onclick: go }, 'Open the run')
}

/** The title of the app's modal of the work. */
const WORK = 'How I worked'

/** Submits the form. It waits until the app has answered. Errors are shown at their fields. */
async function send(event, view, acts) {
  event.preventDefault()
  const form = event.currentTarget
  const values = valuesIn(form)
  form.setAttribute('aria-busy', 'true')
  for (const button of form.querySelectorAll('footer button')) button.disabled = true
  const errors = await acts.submitView(view.id, values)
  if (errors) draw(view, { values, errors, acts })
}

function header(title, close) {
  return el(
    'header.modal-header',
    {},
    el('h2', { id: 'modal-title' }, title),
    el(
      'button.icon-button',
      { type: 'button', 'aria-label': 'Close', onclick: close },
      el('span', { 'aria-hidden': 'true' }, '✕'),
    ),
  )
}

function words(text, otherwise) {
  return text ? plainWords(text) : otherwise
}

function open(form) {
  dialog.replaceChildren(form)
  if (!dialog.open) dialog.showModal()
  const first =
    form.querySelector('[aria-invalid], .modal-body :is(input, textarea, select)') ??
    form.querySelector('footer button')
  first?.focus()
}
