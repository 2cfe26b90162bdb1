/** The box for writing messages. It grows with its text and accepts files. Enter sends. */
import { Attachments, takeFiles } from './attachments.js'
import { el } from './dom.js'
import { Drafts } from './drafts.js'
import { Suggestions } from './suggestions.js'

const MAX_HEIGHT = 200

const sendButton = () =>
  el(
    'button.send',
    { type: 'submit', 'aria-label': 'Send', disabled: true },
    el('span', { 'aria-hidden': 'true' }, '➤'),
  )

function keysOf({ suggestions, submit, editLast }) {
  return (event) => {
    if (event.isComposing) return
    if (suggestions.key(event)) return event.preventDefault()
    if (event.key === 'ArrowUp' && editLast()) return event.preventDefault()
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    void submit()
  }
}

function grow(box) {
  box.style.height = 'auto'
  box.style.height = `${Math.min(box.scrollHeight, MAX_HEIGHT)}px`
}

/**
 * @param {HTMLFormElement} form an empty form that becomes the box
 * @param {{ id: string, send(text: string, files: { file: File, alt: string }[]): Promise<void>, suggestions():
 * object[], editLast(): boolean }} options `editLast` opens the person's last message for editing, if there is one
 */
export function createComposer(form, options) {
  const box = el('textarea', { id: options.id, rows: 1, autocomplete: 'off', spellcheck: 'true' })
  const button = sendButton()
  const hint = el('p.hint')
  const suggestions = new Suggestions(box, { id: `${options.id}-suggestions`, source: options.suggestions })
  const attachments = new Attachments({ id: options.id, changed: () => ready(), back: () => box.focus() })
  form.append(suggestions.element, attachments.element, el('div.box', {}, attachments.button, box, button), hint)
  takeFiles(form.parentElement, attachments)

  const isEmpty = () => box.value.trim() === '' && attachments.held.length === 0
  const ready = () => (button.disabled = isEmpty())
  function set(text) {
    box.value = text
    box.dispatchEvent(new Event('input'))
  }

  const drafts = new Drafts({ read: () => ({ text: box.value, files: attachments.take() }), write }, options.id)

  function write({ text, files }, problem = '') {
    if (box.value === '' || problem === '') set(text)
    attachments.putBack(files, problem)
  }

  /** Sends the message. If that fails, restores it in the box. */
  async function submit() {
    if (isEmpty()) return
    const text = box.value.trim()
    const files = attachments.take()
    const { place } = drafts
    set('')
    await options
      .send(text, files)
      .catch((error) => drafts.putBack(place, { text, files }, `Not sent: ${error.message}`))
  }

  box.addEventListener('input', () => (grow(box), ready(), drafts.note(box.value)))
  box.addEventListener('keydown', keysOf({ suggestions, submit, editLast: () => isEmpty() && options.editLast() }))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })

  return {
    box,
    turnTo: (place) => drafts.turnTo(place),
    /** Sets the box's label, which is also its placeholder, and the line below it. */
    label(name, below) {
      box.setAttribute('aria-label', name)
      box.placeholder = name
      hint.replaceChildren(...below)
    },
    /** Replaces the content of the box with a text, and a sample file if one is named. */
    async fill(text, file) {
      set(text)
      attachments.take()
      box.focus()
      if (file) await attachSample(attachments, file, () => box.value === text)
    },
  }
}

/** Attaches a sample file, unless the person has typed or chosen another example while it was loading. */
async function attachSample(attachments, name, isCurrent) {
  const sample = await sampleFile(name)
  if (sample && isCurrent()) attachments.add([sample])
}

/** Returns a sample file of the playground. Undefined if it cannot be loaded. */
async function sampleFile(name) {
  const response = await fetch(`/lib/${name}`)
  return response.ok ? new window.File([await response.blob()], name) : undefined
}
