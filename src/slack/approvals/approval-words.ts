/** Texts about who may allow a tool's call, and replies to those who press its card. */
import { escapeText } from '../format/escape.ts'
import type { Verdict } from './saved-call.ts'

/** The sentence that says who may decide. `names`: people besides the asker; `groups`: the number of user groups. */
export function decidersLine(who: {
  /** The asker's name, if the asker can approve. */
  asker: string | undefined
  names: string[]
  groups: number
  /** Only the asker sees the card: in a direct message, or for a private question. */
  isSeenByAskerAlone: boolean
  /** APPROVERS names somebody, but nobody of them is here. */
  areGone: boolean
}): string {
  const groups = who.groups === 0 ? [] : [`the members of ${who.groups} user ${who.groups === 1 ? 'group' : 'groups'}`]
  const others = [...who.names.map(plain), ...groups]
  const all = [...(who.asker === undefined ? [] : [plain(who.asker)]), ...others]
  if (who.areGone) return NOBODY_LEFT
  if (all.length === 0) return NOBODY
  if (!who.isSeenByAskerAlone) return `Can approve: ${all.join(', ')}`
  if (others.length === 0) return 'Only you can approve.'
  const own = who.asker === undefined ? 'Others must approve this' : 'You can approve'
  return `${own}. *Ask approvers* sends what you see here to ${others.join(', ')}, each in a direct message.`
}

/** The lines that notify those who are to decide. `here`: ids of people in the channel; `sent`: names of others. */
export function askedLines({ here, sent }: { here: string[]; sent: string[] }): string[] {
  const pings = here.map((id) => `<@${id}>`).join(', ')
  const has = sent.length === 1 ? 'has' : 'have'
  return [
    ...(here.length === 0 ? [] : [`${pings}, this waits for ${here.length === 1 ? 'you' : 'one of you'}.`]),
    ...(sent.length === 0 ? [] : [`${sent.map(plain).join(', ')} ${has} this in a direct message.`]),
  ]
}

function plain(name: string): string {
  return escapeText(name.replace(/^@/, ''))
}

const NOBODY = 'Nobody can approve this. The person who runs me needs to name somebody in APPROVERS.'
const NOBODY_LEFT =
  'Nobody can approve this: the people in APPROVERS do not exist here or have left. The person who runs me needs to name somebody else.'

/** Why a press does not count. */
export const PRESS = {
  no: 'You cannot approve this. The card says who can.',
  noScope:
    'I cannot see who is in the user group that can approve this. The person who runs me needs to reinstall the app with usergroups:read, or name people in APPROVERS.',
  untold: 'Slack did not tell me in time who can approve this. Please press again.',
  gone: 'This request is closed: it was decided, it expired, or it was deleted.',
  away: 'My storage is unavailable. Please press again in a moment.',
} as const

/** The reply to "Ask approvers"; `names`: who has the card now. */
export function askedWord(names: string[]): string {
  if (names.length === 0) return 'I could not reach anybody else who can approve this.'
  return `I sent it to ${names.map(escapeText).join(', ')}.`
}

/** Replaces the card of a call that is no longer stored. */
export const CARD_GONE = '⏹ This request is closed.'

/** The reply to a press on a card that is already decided; `isOwn`: by the same user. */
export function lateWord(verdict: Verdict, isOwn: boolean): string {
  if (verdict.outcome === 'expired') return 'This expired before anybody decided, so it was not done.'
  if (verdict.outcome === 'ended') return 'The question has ended, so there is nothing left to decide.'
  const { outcome, by } = verdict
  return isOwn ? `You already decided this: ${outcome}.` : `${escapeText(by)} already decided this: ${outcome}.`
}
