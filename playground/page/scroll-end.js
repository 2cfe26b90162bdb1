/**
 * A list within this many pixels of its end stays at its end while it grows, for example by a picture that loads late.
 */

const NEAR = 80
/** The scrollers whose end is read. */
const atEnd = new WeakSet()

/** @param {HTMLElement} scroller what it scrolls is its children */
export function followEnd(scroller) {
  let top = scroller.scrollTop
  atEnd.add(scroller)
  scroller.addEventListener('scroll', () => {
    // The event comes a frame late, and what came since is no leaving: only who goes up leaves the end.
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
