/**
 * Moves through a list by arrow keys while one of its items, or its holder, has the focus. Home and End go to its ends.
 * @param {HTMLElement} holder the element with the items, which gets the key events
 * @param {string} selector the selector of the items
 * @param {Record<string, (item: HTMLElement) => void>} [letters] what a letter does with the focused item
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

/** If the holder has the focus, Up begins at the end. */
function nextOf(key, at, count) {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1)
  if (key === 'ArrowUp') return at < 0 ? count - 1 : Math.max(at - 1, 0)
  return { Home: 0, End: count - 1 }[key]
}
