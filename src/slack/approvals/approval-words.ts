/** Texts about who may allow a tool's call, and replies to those who press its card. */
import { escapeText } from '../format/escape.ts'
import type { Verdict } from './saved-call.ts'

/** The sentence that says who may decide. `names`: people besides the asker; `groups`: the number of user groups. */
export function decidersLine(who: {
  asker: boolean
  names: string[]
  groups: number
  /** Only the asker sees the card: in a direct message, or for a private question. */
  isSeenByAskerAlone: boolean
}): string {
  if (who.isSeenByAskerAlone) return who.asker ? 'You alone may decide here.' : NOT_HERE
  const groups = who.groups === 0 ? [] : [`the people of ${who.groups} user ${who.groups === 1 ? 'group' : 'groups'}`]
  const all = [...(who.asker ? ['who asked'] : []), ...who.names.map(escapeText), ...groups]
  if (all.length === 0) return NOBODY
  return who.asker && all.length === 1 ? 'Who asked may decide.' : `May decide: ${all.join(', ')}.`
}

const NOT_HERE = 'This is for others to decide, and they do not see it here. Please stop me, and ask in a channel.'
const NOBODY = 'Nobody may decide this: whoever runs me should name somebody in APPROVERS.'

/** Why a press does not count. */
export const PRESS = {
  no: 'This is not yours to decide: the card says who may.',
  noScope:
    'I cannot see who is in the user group that may decide this. Whoever runs me should install the app again with usergroups:read, or name people in APPROVERS.',
  untold: 'Slack did not tell me in time who may decide this. Please press again.',
  gone: 'This is over: it was decided, its time has passed, or it was forgotten.',
  away: 'What I store things in does not answer. Please press again in a moment.',
} as const

/** Replaces the card of a call that is no longer stored. */
export const CARD_GONE = '⏹ This is over: nothing can be allowed here any more.'

/** The reply to a press on a card that is already decided; `isOwn`: by the presser. */
export function lateWord(verdict: Verdict, { isOwn }: { isOwn: boolean }): string {
  if (verdict.outcome === 'expired') return 'Nobody decided this in time: it is not done any more.'
  if (verdict.outcome === 'ended') return 'The question has ended: there is nothing to decide any more.'
  const { outcome, by } = verdict
  return isOwn
    ? `You have decided this already: it is ${outcome}.`
    : `${escapeText(by)} was faster: this is ${outcome} already.`
}
