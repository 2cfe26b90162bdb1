/**
 * Arrows go through a list whose items, or whose holder, have the focus; Home and End go to its ends.
 * @param {HTMLElement} holder what hears the keys, and has the items in it
 * @param {string} selector its items
 * @param {Record<string, (item: HTMLElement) => void>} [letters] what a letter does with the item that has the focus
 */
export function moveByArrows(holder, selector, letters = {}) {
  holder.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    const items = [...holder.querySelectorAll(selector)]
    const at = items.indexOf(event.target)
    if (at < 0 && event.target !== holder) return
    const to = nextOf(event.key, at, items.length)
    if (at >= 0 && Object.hasOwn(letters, event.key)) letters[event.key](items[at])
    else if (to === undefined || !items[to]) return
    else items[to].focus()
    event.preventDefault()
  })
}

/** From the holder itself, up begins at the end. */
function nextOf(key, at, count) {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1)
  if (key === 'ArrowUp') return at < 0 ? count - 1 : Math.max(at - 1, 0)
  return { Home: 0, End: count - 1 }[key]
}
