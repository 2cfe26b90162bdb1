/** The box that messages are written in: Enter sends, @ and / offer names and commands. */
import { el } from './dom.js'

/**
 * @param {HTMLFormElement} form an empty form that becomes the box
 * @param {{ id: string, send(text: string): Promise<void>, suggestions(): { insert: string, label: string, about: string }[], hint?: string }} options
 */
export function createComposer(form, options) {
  const listId = `${options.id}-suggestions`
  const box = el('textarea', {
    id: options.id,
    rows: 1,
    'aria-autocomplete': 'list',
    'aria-controls': listId,
    autocomplete: 'off',
    spellcheck: 'true',
  })
  const list = el('ul.suggestions', { id: listId, role: 'listbox', 'aria-label': 'Suggestions', hidden: true })
  const button = el(
    'button.send',
    { type: 'submit', 'aria-label': 'Send', disabled: true },
    el('span', { 'aria-hidden': 'true' }, '➤'),
  )
  const hint = el('p.hint')
  form.append(list, el('div.box', {}, box, button), hint)
  let offered = []
  let chosen = 0

  function grow() {
    box.style.height = 'auto'
    box.style.height = `${Math.min(box.scrollHeight, 200)}px`
    button.disabled = box.value.trim() === ''
  }

  /** The word under way before the caret, if it begins with @, or with / at the very start. */
  function wordUnderWay() {
    const before = box.value.slice(0, box.selectionStart)
    return /(?:^|\s)(@[\w-]*)$/.exec(before)?.[1] ?? /^(\/[\w-]*)$/.exec(before)?.[1]
  }

  function offer() {
    const word = wordUnderWay()?.toLowerCase()
    offered =
      word === undefined
        ? []
        : options
            .suggestions()
            .filter((one) => one.insert.toLowerCase().startsWith(word) && one.insert.toLowerCase() !== word)
    chosen = 0
    show()
  }

  function show() {
    list.hidden = offered.length === 0
    list.replaceChildren(
      ...offered.map((one, index) =>
        el(
          'li',
          {
            id: `${listId}-${index}`,
            role: 'option',
            'aria-selected': String(index === chosen),
            onmousedown: (event) => (event.preventDefault(), accept(index)),
          },
          el('strong', {}, one.label),
          ' ',
          el('span.quiet', {}, one.about),
        ),
      ),
    )
    if (offered.length > 0) box.setAttribute('aria-activedescendant', `${listId}-${chosen}`)
    else box.removeAttribute('aria-activedescendant')
  }

  function accept(index) {
    const word = wordUnderWay() ?? ''
    const caret = box.selectionStart
    box.setRangeText(`${offered[index].insert} `, caret - word.length, caret, 'end')
    offered = []
    show()
    grow()
    box.focus()
  }

  async function submit() {
    const text = box.value.trim()
    if (text === '') return
    box.value = ''
    grow()
    try {
      await options.send(text)
    } catch {
      box.value = text
      grow()
    }
  }

  function key(event) {
    if (event.isComposing) return
    if (offered.length > 0 && suggestionKey(event)) return event.preventDefault()
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    void submit()
  }

  /** Moves in the offered list; says whether the key was for it. */
  function suggestionKey(event) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      chosen = (chosen + (event.key === 'ArrowDown' ? 1 : offered.length - 1)) % offered.length
      show()
    } else if (event.key === 'Enter' || event.key === 'Tab') accept(chosen)
    else if (event.key === 'Escape') {
      offered = []
      show()
    } else return false
    return true
  }

  box.addEventListener('input', () => (grow(), offer()))
  box.addEventListener('keydown', key)
  box.addEventListener('blur', () => ((offered = []), show()))
  form.addEventListener('submit', (event) => (event.preventDefault(), void submit()))

  return {
    box,
    /** Sets the box's name, which is its placeholder too, and the line below it. */
    label(name, below) {
      box.setAttribute('aria-label', name)
      box.placeholder = name
      hint.replaceChildren(...below)
    },
    fill(text) {
      box.value = text
      grow()
      box.focus()
    },
  }
}
