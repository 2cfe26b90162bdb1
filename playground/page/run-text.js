/** Draws texts of a run: long ones in parts, and invisible characters made visible. */
import { el } from './dom.js'

/** Longer texts are shown whole on request. */
const MAX_CHARS = 20_000

/**
 * Makes invisible characters visible: controls become their pictures, direction marks and joiners their code points.
 */
export function visible(text) {
  return (
    text
      // eslint: these characters are intended
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (sign) => picture(sign.charCodeAt(0)))
      .replace(/[\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (sign) => `‹U+${code(sign)}›`)
  )
}

function picture(number) {
  return String.fromCharCode(number === 0x7f ? 0x2421 : 0x2400 + number)
}

function code(sign) {
  return sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
}

/** Draws a text in a box that the keyboard can scroll. @param {string} text @param {string} name for screen readers */
export function textBox(text, name) {
  const box = el('pre.run-text', { tabindex: 0, role: 'region', 'aria-label': name }, ...beginning(text))
  return box
}

/** Draws a text, or its beginning with a button for the rest. @returns {(Node | string)[]} */
export function beginning(text) {
  if (text.length <= MAX_CHARS) return [visible(text)]
  const rest = el('button.run-more', { type: 'button' }, `Show all ${count(text.length)} characters`)
  rest.addEventListener('click', () => rest.replaceWith(document.createTextNode(visible(text.slice(MAX_CHARS)))))
  return [visible(text.slice(0, MAX_CHARS)), rest]
}

/**
 * Draws a folded part whose content is created when it opens. @param {string} title @param {() => (Node | string)[]}
 * make
 */
export function folded(title, make) {
  const details = el('details.run-folded', {}, el('summary', {}, title))
  const fill = () => details.open && details.children.length === 1 && details.append(...make())
  details.addEventListener('toggle', fill)
  return details
}

/** Formats JSON for people. */
export function jsonText(value) {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** Formats JSON in one line. */
export function lineOf(value) {
  if (typeof value === 'string') return value
  const values = value && typeof value === 'object' ? Object.values(value) : []
  return values.length === 1 && typeof values[0] !== 'object' ? String(values[0]) : (JSON.stringify(value) ?? '')
}

export function count(number) {
  return number.toLocaleString('en')
}

/** Returns a number with its noun: `1 step`, `1,234 steps`. */
export function counted(number, what) {
  return `${count(number)} ${what}${number === 1 ? '' : 's'}`
}

/** Formats a duration like the bot's messages. @param {number | undefined} ms */
export function duration(ms) {
  if (ms === undefined) return '…'
  if (ms < 100) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`
}

/** Formats dollars, with as many decimals as small amounts need. */
export function dollars(amount) {
  return `$${amount < 0.01 ? amount.toPrecision(2) : amount.toFixed(2)}`
}
