/** The rules on what a person at the page can see and do, as in Slack. */
import type { LocalSlack } from '../slack/local-slack.ts'
import type { MessagePlace } from '../slack/people.ts'
import { TEAM } from '../slack/store.ts'
import type { Channel, StoredMessage, User } from '../slack/types.ts'

/** A person's kind in the workspace, which Slack shows beside the name. */
type PersonKind = 'bot' | 'member' | 'admin' | 'guest' | 'external'

export function kindOf(user: User): PersonKind {
  if (user.is_bot) return 'bot'
  if (user.is_stranger || user.team_id !== TEAM) return 'external'
  if (user.is_restricted || user.is_ultra_restricted) return 'guest'
  return user.is_admin || user.is_owner ? 'admin' : 'member'
}

/**
 * Returns whether a person belongs to the workspace that has the app. Others do not get its commands, shortcuts, direct
 * messages and Home.
 */
export function hasApp({ store }: LocalSlack, you: string): boolean {
  const user = store.users.get(you)
  return user !== undefined && kindOf(user) !== 'external'
}

/** Checks that a person belongs to this workspace. @throws Error if not */
export function checkHasApp(slack: LocalSlack, you: string): void {
  if (!hasApp(slack, you)) throw new Error('Only people of the workspace that has the app can do this.')
}

/** Returns a channel that a person is in. @throws Error */
function ownChannel({ store }: LocalSlack, id: string, you: string): Channel {
  const channel = store.channels.get(id)
  if (!channel?.members.has(you)) throw new Error('You are not in this channel.')
  return channel
}

/** Returns a channel in which a person may write. @throws Error */
export function writableChannel(slack: LocalSlack, id: string, you: string): Channel {
  const channel = ownChannel(slack, id, you)
  if (channel.archived) throw new Error('This channel is archived.')
  return channel
}

/** Returns a message that a person sees, ephemeral ones excluded. @throws Error */
export function seenMessage(slack: LocalSlack, { channel: id, ts }: MessagePlace, you: string): StoredMessage {
  const message = slack.store.find(ownChannel(slack, id, you), ts)
  if (!message) throw new Error('There is no such message.')
  return message
}

/** The subtypes of messages that people write. Joins and tombstones have no author. */
const OWN_KINDS = [undefined, 'file_share', 'thread_broadcast', 'me_message']

/** Checks that a message is the person's own, for an edit or a deletion. @throws Error */
export function checkOwn(slack: LocalSlack, place: MessagePlace, you: string): void {
  const { user, subtype } = seenMessage(slack, place, you)
  if (user !== you || !OWN_KINDS.includes(subtype)) throw new Error('Only your own messages can be edited and deleted.')
}

/** Checks that a person can press a button of the message: they see it, or it is ephemeral for them. @throws Error */
export function checkPressable(slack: LocalSlack, place: MessagePlace, you: string): void {
  const { ephemerals } = ownChannel(slack, place.channel, you)
  if (!ephemerals.some(({ ts, user }) => ts === place.ts && user === you)) seenMessage(slack, place, you)
}

/** Returns an open modal of a person, or their Home. @throws Error */
export function checkOwnView({ views }: LocalSlack, id: string, you: string): void {
  if (![...views.modals(you), views.home(you)].some((view) => view?.['id'] === id))
    throw new Error('This view is not open any more.')
}
