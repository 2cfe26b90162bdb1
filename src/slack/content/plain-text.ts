import { cleanName, unescapeText } from '../format/escape.ts'

/** The names of emoji in Slack's notation have letters, but they are not words. */
export const EMOJI_NAME = "[\\p{L}\\p{N}_+'-]+"

/**
 * Returns a text as people see it, without Slack's markup. The bot's mention is dropped, at the start with a colon or
 * comma behind it. Links are shown by name, and entities are decoded. Ids of people, channels and groups stay, because
 * `Mentions` knows which names may be shown where; those that somebody typed as text are no mentions and get `TYPED`.
 * Spaces stay too, because code may depend on them.
 */
export function plainText(text: string, botUser: string): string {
  return unescapeText(withoutBot(text, botUser).replace(TYPED_ID, `&lt;${TYPED}`).replace(MARKUP, plainMarkup)).trim()
}

/** An invisible character (word joiner) behind the `<` of an id that somebody typed as text. */
export const TYPED = '\u2060'
const TYPED_ID = /&lt;(?=(?:@[UW]|#[CG]|!subteam\^S)[A-Z0-9]{1,20}(?:\||&gt;))/g

function withoutBot(text: string, botUser: string): string {
  if (botUser === '') return text
  const bot = `<@${botUser}(?:\\|[^<>]*)?>`
  // No class below matches `<`, so a failing match ends at the next one: linear time.
  return text
    .replace(new RegExp(`^\\s*(?:${bot}\\s*(?:[:,\uff1a\uff0c\u3001](?!${EMOJI_NAME}:)\\s*)?)+`, 'u'), '')
    .replaceAll(new RegExp(` ?${bot}(?=[\\s,.;:!?]|$)`, 'g'), '')
    .replaceAll(new RegExp(bot, 'g'), ' ')
}

/** `<target>` or `<target|label>`. Neither class matches `<`: linear time. */
const MARKUP = /<([^<>|]+)(?:\|([^<>]*))?>/g

function plainMarkup(whole: string, target: string, label = ''): string {
  if (target.startsWith('@')) return label === '' ? whole : `@${cleanName(label) || 'somebody'}`
  if (target.startsWith('#')) return whole
  if (target.startsWith('!date^')) return label || dateOf(target)
  if (/^!(?:channel|here|everyone)$/.test(target)) return `@${target.slice(1)}`
  if (target.startsWith('!')) return label || whole
  if (/^https?:/.test(target)) return label !== '' && !target.includes(label) ? `${label} (${target})` : target
  return /^[a-z][a-z\d+.-]{0,30}:/i.test(target) ? label || target.replace(/^(?:mailto|tel|sip):/i, '') : whole
}

/** `<!date^1772528400^…>` without words for it: the time in UTC. */
function dateOf(target: string): string {
  const date = new Date(Number(target.split('^', 2)[1]) * 1000)
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
