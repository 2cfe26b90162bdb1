/** The files of the message that is being written: chosen, dropped or pasted. Each can be removed again. */
import { el } from './dom.js'
import { tableIn } from './pasted-table.js'
import { isPicture, sizeInWords } from './file-words.js'
import { icon } from './icons.js'

/** The page's server has the same limit. */
const MAX_BYTES = 40_000_000
const MAX_FILES = 10

export class Attachments {
  /** @param {{ id: string, changed(): void, back(): void }} options `back` returns the focus to the box */
  constructor(options) {
    this.options = options
    this.held = []
    this.list = el('ul.attachments', { 'aria-label': 'Files to send', hidden: true })
    this.problem = el('p.problem', { role: 'alert' })
    this.told = el('p.sr-only', { role: 'status' })
    this.input = el('input', {
      type: 'file',
      id: `${options.id}-files`,
      multiple: true,
      hidden: true,
      onchange: () => {
        this.add(this.input.files)
        this.input.value = ''
      },
    })
    this.button = el(
      'button.attach',
      { type: 'button', 'aria-label': 'Attach files', title: 'Attach files', onclick: () => this.input.click() },
      icon('clip'),
    )
    this.element = el('div', {}, this.list, this.problem, this.told, this.input)
  }

  /** Adds files in their order until the message is full. Reports those that do not fit. */
  add(files) {
    const given = [...files]
    if (given.length === 0) return
    const refused = given.filter((file) => !this.takes(file))
    this.say(refused.map((file) => `${file.name} was not attached: ${this.why(file)}`).join(' '))
    this.draw()
    this.options.back()
  }

  /** Adds a pasted table, as its rows. It is shown like a file. */
  addTable(rows) {
    const name = `Table: ${rows.length} rows, ${rows[0].length} columns`
    this.held.push({ table: rows, file: { name, size: 0, type: '' } })
    this.draw()
    this.options.back()
  }

  takes(file) {
    if (this.why(file) !== '') return false
    this.held.push({ file, alt: '' })
    return true
  }

  why(file) {
    const size = this.held.reduce((sum, { file: one }) => sum + one.size, 0)
    if (file.size === 0) return 'it is empty.'
    if (this.held.filter(({ table }) => !table).length >= MAX_FILES) return `a message takes ${MAX_FILES} files.`
    return size + file.size > MAX_BYTES ? 'a message takes 40 MB in all.' : ''
  }

  say(problem) {
    this.problem.textContent = problem
  }

  /** Returns the files to send, and removes them here. */
  take() {
    const taken = this.held
    this.held = []
    this.say('')
    this.draw()
    return taken
  }

  /** Restores attachments that could not be sent, with the reason. */
  putBack(taken, problem) {
    this.held = [...taken, ...this.held]
    this.draw()
    this.say(problem)
  }

  remove(entry) {
    const place = this.held.indexOf(entry)
    this.held.splice(place, 1)
    this.say('')
    this.draw()
    const next = this.list.querySelectorAll('.remove')[Math.min(place, this.held.length - 1)]
    if (next) next.focus()
    else this.options.back()
  }

  draw() {
    this.list.hidden = this.held.length === 0
    this.list.replaceChildren(...this.held.map((entry) => this.item(entry)))
    this.told.textContent = this.held.length === 0 ? '' : `Files to send: ${this.held.length}`
    this.options.changed()
  }

  item(entry) {
    const { name, size } = entry.file
    return el(
      'li.attachment',
      {},
      icon('file'),
      el('span.file-name', {}, name),
      size > 0 && el('span.quiet', {}, sizeInWords(size)),
      isPicture(entry.file.type) && this.description(entry),
      el(
        'button.remove',
        { type: 'button', 'aria-label': `Remove ${name}`, onclick: () => this.remove(entry) },
        icon('cross'),
      ),
    )
  }

  /** Asks for a picture's alternative text. */
  description(entry) {
    const box = el('input.alt', {
      type: 'text',
      maxlength: 1000,
      placeholder: 'Describe it',
      'aria-label': `Description of ${entry.file.name}`,
      oninput: () => (entry.alt = box.value.trim()),
    })
    box.value = entry.alt
    return box
  }
}

/**
 * Passes files that are dropped on a part of the page, or pasted into a box of it, to its `attachments`. A paste that
 * also has text is treated as text, or as a table.
 * @param {HTMLElement} part
 * @param {Attachments} attachments
 */
export function takeFiles(part, attachments) {
  const has = (event) => event.dataTransfer?.types.includes('Files')
  const show = (isOver) => part.classList.toggle('dropping', isOver)
  part.addEventListener('dragover', (event) => has(event) && show(true))
  part.addEventListener('dragleave', (event) => !part.contains(event.relatedTarget) && show(false))
  part.addEventListener('drop', (event) => {
    show(false)
    if (has(event)) attachments.add(event.dataTransfer.files)
  })
  part.addEventListener('paste', (event) => {
    const { files, types } = event.clipboardData
    const rows = tableIn(event.clipboardData.getData('text/plain'))
    if (rows) {
      event.preventDefault()
      return attachments.addTable(rows)
    }
    if (files.length === 0 || types.includes('text/plain')) return
    event.preventDefault()
    attachments.add(files)
  })
}

// Without this, the browser would open a file that is dropped beside the boxes.
for (const kind of ['dragover', 'drop']) {
  document.addEventListener(kind, (event) => event.dataTransfer?.types.includes('Files') && event.preventDefault())
}
