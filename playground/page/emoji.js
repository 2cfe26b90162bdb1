/** Emoji by Slack's names. The names are emojibase's, which the page's server gives out of its package. */

/** Signs by name. */
const signs = new Map()

/** Old names that Slack still takes. */
const ALSO = { simple_smile: 'slightly_smiling_face', thinking: 'thinking_face' }

const MAX_SUGGESTIONS = 8

/** Loads the names; where they cannot be had, names stay names. */
export async function loadEmoji() {
  if (signs.size > 0) return
  const byHexcode = await fetch('lib/emoji.json').then((response) => (response.ok ? response.json() : {}))
  for (const [hexcode, names] of Object.entries(byHexcode))
    for (const name of [names].flat()) signs.set(name, signOf(hexcode))
  for (const [old, name] of Object.entries(ALSO)) if (signs.has(name)) signs.set(old, signs.get(name))
}

/** Returns the emoji. One that is drawn as text by default gets the mark for a picture. */
function signOf(hexcode) {
  const sign = String.fromCodePoint(...hexcode.split('-').map((one) => parseInt(one, 16)))
  return /^\P{Emoji_Presentation}$/u.test(sign) ? `${sign}\u{fe0f}` : sign
}

/** The sign of an emoji's name, with its tone of skin; the name in colons where it is not known. */
export function emojiSign(name) {
  const [base, tone] = name.split('::')
  const sign = signs.get(base)
  return sign === undefined ? `:${name}:` : sign + (signs.get(tone) ?? '')
}

/** A text with its `:names:` as signs. */
export function emoji(text) {
  return text.replace(/:([a-z0-9_+'-]{1,60})(?:::(skin-tone-[2-6]))?:/g, (whole, name, tone) =>
    signs.has(name) ? emojiSign(tone ? `${name}::${tone}` : name) : whole,
  )
}

/** Names that have the words in them; those that begin so first. */
export function findEmoji(words, most) {
  const wanted = words.toLowerCase().replaceAll(':', '').trim().replace(/\s+/g, '_')
  const fits = [...signs.keys()].filter((name) => name.includes(wanted) && !name.startsWith('skin-tone'))
  const begins = fits.filter((name) => name.startsWith(wanted))
  return [...begins, ...fits.filter((name) => !name.startsWith(wanted))].slice(0, most)
}

/** Returns the suggestions for `:thu`: from two letters on, as in Slack. */
export function emojiSuggestions(word) {
  if (!/^:[\w+-]{2,}$/.test(word)) return []
  return findEmoji(word, MAX_SUGGESTIONS).map((name) => ({
    insert: `:${name}:`,
    label: emojiSign(name),
    about: `:${name}:`,
    isFit: true,
  }))
}
