/** Draws a person's kind and picture. */
import { el } from './dom.js'

/**
 * Returns the badge beside a name, as in Slack: none for a member, the other company for a person of a connected
 * workspace.
 */
function badgeOf({ kind, title }) {
  return { bot: 'APP', admin: 'Admin', guest: 'Guest', external: title || 'External' }[kind]
}

/** Describes a person's kind in a sentence. */
export function aboutPerson({ kind, title, is_bot }) {
  const words = {
    admin: 'an admin of the workspace',
    guest: 'a guest: sees only the channels they were invited to',
    external: `of ${title || 'another company'}: sees only channels shared by Slack Connect`,
  }
  return is_bot ? 'the bot' : (words[kind] ?? 'a member of the workspace')
}

/** Draws a person's badge, if they have one. */
export function personBadge(user) {
  const words = badgeOf(user)
  return words && el(`span.badge${user.kind === 'bot' ? '' : '.of-person'}`, { title: aboutPerson(user) }, words)
}

/** Draws a person's first letter on their colour. */
export function personAvatar(user) {
  const letter = user.real_name.slice(0, 1).toUpperCase()
  return el(`span.avatar.tint-${letter.charCodeAt(0) % 4}`, { 'aria-hidden': 'true' }, letter)
}
