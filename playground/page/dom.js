/**
 * Creates an element. Texts become text nodes: this page never parses HTML.
 * @param {string} tag a tag's name, with a class after a dot: `p.quiet`
 * @param {Record<string, unknown>} attributes attributes; `on…` functions become listeners, `true` an empty attribute
 * @param {(Node | string | undefined | false)[]} children
 */
export function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split('.')
  const element = document.createElement(name)
  if (classes.length > 0) element.className = classes.join(' ')
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value)
    else element.setAttribute(key, value === true ? '' : String(value))
  }
  if (name === 'summary') element.addEventListener('click', () => (element.parentElement.dataset.touched = ''))
  element.append(...children.filter((child) => child !== undefined && child !== false && child !== ''))
  return element
}

export function byId(id) {
  return document.getElementById(id)
}

/** Returns a link, or only its text if the address may not be followed. */
export function link(url, ...children) {
  const known = URL.canParse(url) && ['http:', 'https:', 'mailto:'].includes(new URL(url).protocol)
  return known
    ? el('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, ...children)
    : el('span', {}, ...children)
}
