/** Emoji by Slack's names, from emojibase's data, which the page's server provides from its package. */

/** Emoji by name. */
const signs = new Map()

/** Old names that Slack still accepts. */
const ALSO = { simple_smile: 'slightly_smiling_face', thinking: 'thinking_face' }

const MAX_SUGGESTIONS = 8

/** Loads the names. If that fails, names are shown as they are. */
export async function loadEmoji() {
  if (signs.size > 0) return
  const byHexcode = await fetch('lib/emoji.json').then((response) => (response.ok ? response.json() : {}))
  for (const [hexcode, names] of Object.entries(byHexcode))
    for (const name of [names].flat()) signs.set(name, signOf(hexcode))
  for (const [old, name] of Object.entries(ALSO)) if (signs.has(name)) signs.set(old, signs.get(name))
}

/** Returns the emoji. One that is drawn as text by default gets the variation selector for emoji. */
function signOf(hexcode) {
  const sign = String.fromCodePoint(...hexcode.split('-').map((one) => parseInt(one, 16)))
  return /^\P{Emoji_Presentation}$/u.test(sign) ? `${sign}\u{fe0f}` : sign
}

/** Returns the emoji with this name and its skin tone. Returns the name in colons if it is unknown. */
export function emojiSign(name) {
  const [base, tone] = name.split('::')
  const sign = signs.get(base)
  return sign === undefined ? `:${name}:` : sign + (signs.get(tone) ?? '')
}

/** Returns a text with `:names:` replaced by emoji. */
export function emoji(text) {
  return text.replace(/:([a-z0-9_+'-]{1,60})(?:::(skin-tone-[2-6]))?:/g, (whole, name, tone) =>
    signs.has(name) ? emojiSign(tone ? `${name}::${tone}` : name) : whole,
  )
}

/** Returns the names that contain the words, those that begin with them first. */
export function findEmoji(words, most) {
  const wanted = words.toLowerCase().replaceAll(':', '').trim().replace(/\s+/g, '_')
  const fits = [...signs.keys()].filter((name) => name.includes(wanted) && !name.startsWith('skin-tone'))
  const begins = fits.filter((name) => name.startsWith(wanted))
  return [...begins, ...fits.filter((name) => !name.startsWith(wanted))].slice(0, most)
}

/** Returns the suggestions for `:thu`, from two letters on, as in Slack. */
export function emojiSuggestions(word) {
  if (!/^:[\w+-]{2,}$/.test(word)) return []
  return findEmoji(word, MAX_SUGGESTIONS).map((name) => ({
    insert: `:${name}:`,
    label: emojiSign(name),
    about: `:${name}:`,
    isFit: true,
  }))
}
