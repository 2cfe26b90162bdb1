/** Who reads the end goes on reading the end, whatever grows: a message, a picture that comes late. */

const NEAR = 80

/** @param {HTMLElement} scroller what it scrolls is its children */
export function followEnd(scroller) {
  let isAtEnd = true
  scroller.addEventListener('scroll', () => {
    isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR
  })
  const sizes = new window.ResizeObserver(() => isAtEnd && toEnd(scroller))
  for (const part of [scroller, ...scroller.children]) sizes.observe(part)
}

export function toEnd(scroller) {
  scroller.scrollTop = scroller.scrollHeight
}
