/** A list within this many pixels of its end stays at its end while it grows, for example when a picture loads late. */

const NEAR = 80
/** The scrollers that are at their end. */
const atEnd = new WeakSet()

/** @param {HTMLElement} scroller its children are the content */
export function followEnd(scroller) {
  let top = scroller.scrollTop
  atEnd.add(scroller)
  scroller.addEventListener('scroll', () => {
    // Scroll events arrive a frame late, after content may have grown. Only scrolling up leaves the end.
    if (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR) atEnd.add(scroller)
    else if (scroller.scrollTop < top) atEnd.delete(scroller)
    top = scroller.scrollTop
  })
  const sizes = new window.ResizeObserver(() => atEnd.has(scroller) && toEnd(scroller))
  for (const part of [scroller, ...scroller.children]) sizes.observe(part)
}

export function toEnd(scroller) {
  atEnd.add(scroller)
  scroller.scrollTop = scroller.scrollHeight
}
