/** The emoji picker: a search box, and a grid of emoji below it. */
import { byId, el } from './dom.js'
import { emojiSign, findEmoji } from './emoji.js'

/** The emoji shown before a search. */
const USUAL = (
  '+1 -1 white_check_mark x eyes tada heart joy smile slightly_smiling_face thinking_face raised_hands pray clap ok_hand ' +
  'wave muscle fire rocket 100 bulb sparkles star question exclamation warning hourglass_flowing_sand speech_balloon ' +
  'thought_balloon memo books mag wrench bug robot_face repeat no_entry octagonal_sign cry scream'
).split(' ')
const MAX = 64
/** The number of emoji in a row: see `.emoji-grid`. */
const COLUMNS = 8

/**
 * Opens the picker at a button, which gets the focus back afterwards.
 * @param {HTMLElement} button
 * @param {(name: string) => void} pick
 */
export function pickEmoji(button, pick) {
  const picker = byId('emoji-picker')
  const search = el('input.emoji-search', {
    type: 'search',
    'aria-label': 'Search emoji',
    placeholder: 'Search emoji',
    autocomplete: 'off',
  })
  const grid = el('div.emoji-grid', { role: 'group', 'aria-label': 'Emoji' })
  const told = el('p.sr-only', { role: 'status' })
  const choose = (name) => {
    picker.close()
    pick(name)
  }
  const draw = () => {
    const wanted = search.value.trim()
    const names = wanted === '' ? USUAL : findEmoji(wanted, MAX)
    grid.replaceChildren(...names.map((name) => sign(name, choose)))
    told.textContent = names.length === 0 ? 'No emoji of this name.' : ''
    told.className = names.length === 0 ? 'quiet' : 'sr-only'
  }
  search.addEventListener('input', draw)
  draw()
  picker.replaceChildren(search, grid, told)
  picker.onkeydown = (event) => move(event, { search, grid, choose })
  picker.onclick = (event) => event.target === picker && picker.close()
  picker.onclose = () => (button.isConnected ? button : byId('message-box')).focus()
  picker.showModal()
  place(picker, button)
  search.focus()
}

function sign(name, choose) {
  const attributes = { type: 'button', 'aria-label': name, title: `:${name}:`, onclick: () => choose(name) }
  return el('button.emoji', attributes, emojiSign(name))
}

/** Handles keys: arrows move through the grid, and Enter in the search box takes the first emoji. */
function move(event, { search, grid, choose }) {
  const signs = [...grid.children]
  const at = signs.indexOf(document.activeElement)
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }
  if (event.target === search && event.key === 'Enter' && signs[0]) choose(signs[0].title.slice(1, -1))
  else if (event.target === search && event.key === 'ArrowDown') signs[0]?.focus()
  else if (at >= 0 && event.key in steps) (signs[at + steps[event.key]] ?? search).focus()
  else return
  event.preventDefault()
}

/** Places the picker beside the button, within the screen. */
function place(picker, button) {
  const { top, bottom, right } = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = picker
  const below = bottom + 6 + height <= window.innerHeight
  picker.style.left = `${Math.max(8, Math.min(right - width, window.innerWidth - width - 8))}px`
  picker.style.top = `${Math.max(8, below ? bottom + 6 : top - height - 6)}px`
}
