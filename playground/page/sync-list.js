/** Updates what is on the screen without disturbing what the person is using. */

/** The key and the data of each drawn item. */
const made = new WeakMap()
const stamps = new WeakMap()
let lastStamp = 0

/** The number of items above which only those on the screen are laid out: see messages.css. */
const MAX_LAID_OUT = 100

/** Returns a unique number of an object. A changed message is a new object, so its content need not be compared. */
export function stamp(object) {
  if (!stamps.has(object)) stamps.set(object, ++lastStamp)
  return stamps.get(object)
}

/**
 * Updates a list. Unchanged items keep their elements: the focus stays, and a screen reader announces only new items.
 * @param {HTMLElement} list
 * @param {{ key: string, state: (string | number | boolean | undefined)[], make(): HTMLElement }[]} items
 */
export function syncList(list, items) {
  list.classList.toggle('long', items.length > MAX_LAID_OUT)
  const old = new Map([...list.children].map((child) => [made.get(child)?.key, child]))
  let place = list.firstElementChild
  for (const { key, state, make } of items) {
    const print = state.join('\n')
    const before = old.get(key)
    old.delete(key)
    if (before === place) place = place?.nextElementSibling ?? null
    else if (before) list.insertBefore(before, place)
    if (before && made.get(before).print === print) continue
    const fresh = make()
    made.set(fresh, { key, print })
    if (before) replace(before, fresh)
    else list.insertBefore(fresh, place)
  }
  for (const gone of old.values()) remove(gone)
}

/** Removes an item. Its focus moves to its neighbour. */
function remove(gone) {
  const hadFocus = gone.contains(document.activeElement)
  const neighbour = gone.nextElementSibling ?? gone.previousElementSibling
  gone.remove()
  if (hadFocus) neighbour?.focus({ preventScroll: true })
}

function replace(before, fresh) {
  keepOpened(before, fresh)
  keepTyped(before, fresh)
  const had = document.activeElement
  const focused = focusable(before).indexOf(had)
  const range = focused >= 0 ? rangeOf(had) : undefined
  before.replaceWith(fresh)
  if (focused < 0) return
  const there = focusable(fresh)[focused]
  // If another kind of element is there now, for example after a button was pressed, the item itself gets the focus.
  const isLike = there?.tagName === had.tagName && there.classList[0] === had.classList[0]
  const next = isLike ? there : fresh
  next.focus({ preventScroll: true })
  if (range && rangeOf(next)) next.setSelectionRange(...range)
}

/** Keeps parts open or closed when an item is drawn again. */
function keepOpened(before, fresh) {
  const opened = [...before.querySelectorAll('details')]
  for (const [index, details] of [...fresh.querySelectorAll('details')].entries()) {
    if (opened[index]?.dataset.touched === undefined) continue
    details.open = opened[index].open
    details.dataset.touched = ''
  }
}

/** Keeps typed and ticked values when an item is drawn again. */
function keepTyped(before, fresh) {
  const fields = [...before.querySelectorAll('[data-action]')]
  for (const field of fresh.querySelectorAll('[data-action]')) {
    const typed = fields.find((one) => one.id === field.id)
    if (typed && 'value' in typed && typed.tagName === field.tagName) field.value = typed.value
    const boxes = typed ? [...typed.querySelectorAll('input')] : []
    for (const box of field.querySelectorAll('input'))
      box.checked = boxes.find((one) => one.value === box.value)?.checked ?? box.checked
  }
}

/** Returns an item and all elements in it that can have the focus. */
function focusable(item) {
  return [item, ...item.querySelectorAll('button, a[href], summary, select, input, textarea, [tabindex="0"]')]
}

/** Returns the selection in a text box. */
function rangeOf(box) {
  const isText = box && 'selectionStart' in box && box.selectionStart !== null
  return isText ? [box.selectionStart, box.selectionEnd] : undefined
}
