/** Line icons, which look the same where no emoji are installed. 24 by 24 pixels. */
const PATHS = {
  'thumb-up': 'M7 11v9H4v-9h3zm0 0 4-8c1.7 0 2.6 1 2.4 2.6L13 9h5.5a2 2 0 0 1 2 2.4l-1.3 7a2 2 0 0 1-2 1.6H7',
  'thumb-down': 'M7 13V4H4v9h3zm0 0 4 8c1.7 0 2.6-1 2.4-2.6L13 15h5.5a2 2 0 0 0 2-2.4l-1.3-7a2 2 0 0 0-2-1.6H7',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  cross: 'M6 6l12 12M18 6 6 18',
  reply: 'M4 5h16v11H10l-4 4v-4H4z',
  more: 'M4.5 12a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0zm7 0a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0zm7 0a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0z',
  route: 'M6 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm12 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 6h7a3 3 0 0 1 0 6H9a3 3 0 0 0 0 6h7',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4M9 13h6M9 17h6',
  clip: 'M20 11.5l-8.2 8.2a5 5 0 0 1-7-7l8.6-8.6a3.3 3.3 0 0 1 4.7 4.7l-8.5 8.5a1.7 1.7 0 0 1-2.4-2.4l7.6-7.5',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  shared: 'M3 9h9v9H3zM12 15h9V6h-9v3',
  beside: 'M3 5h18v14H3zM12 5v14',
  smile: 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0zM8.5 14.5a4.2 4.2 0 0 0 7 0M9 9.5v.5M15 9.5v.5',
  bin: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
}

const SVG = 'http://www.w3.org/2000/svg'

/**
 * Hidden from screen readers, because the element around it has a name.
 * @param {keyof typeof PATHS} name
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg')
  const path = document.createElementNS(SVG, 'path')
  const attributes = { viewBox: '0 0 24 24', width: 16, height: 16, 'aria-hidden': 'true', class: 'sign' }
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, String(value))
  path.setAttribute('d', PATHS[name])
  svg.append(path)
  return svg
}
