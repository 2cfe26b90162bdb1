const KNOWN = {
  '+1': '👍',
  '-1': '👎',
  thumbsup: '👍',
  thumbsdown: '👎',
  eyes: '👀',
  hourglass: '⌛',
  hourglass_flowing_sand: '⏳',
  thinking_face: '🤔',
  thought_balloon: '💭',
  speech_balloon: '💬',
  white_check_mark: '✅',
  heavy_check_mark: '✔️',
  x: '❌',
  warning: '⚠️',
  wave: '👋',
  tada: '🎉',
  mag: '🔍',
  wrench: '🔧',
  hammer_and_wrench: '🛠️',
  books: '📚',
  bulb: '💡',
  robot_face: '🤖',
  heart: '❤️',
  rocket: '🚀',
  octagonal_sign: '🛑',
}

/** The sign of an emoji's name; the name in colons where it is not known. */
export function emojiSign(name) {
  return Object.hasOwn(KNOWN, name) ? KNOWN[name] : `:${name}:`
}

/** A text with its `:names:` as signs. */
export function emoji(text) {
  return text.replace(/:([a-z0-9_+-]+):/g, (_, name) => emojiSign(name))
}
