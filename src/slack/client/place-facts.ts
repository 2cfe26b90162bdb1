import type { z } from 'zod'
import type { Question } from '../../stores/runs/types.ts'
import { channelSchema } from './people-and-channels.ts'
import type { Installation } from './installations.ts'
import { refusalCode, SlackRefusal } from './slack-errors.ts'

/** The facts about a place of which Slack says nothing. */
const UNKNOWN = {
  isPrivate: false,
  /** Slack calls it private itself. */
  isCalledPrivate: false,
  /** It is shared with another company, or Slack does not say. */
  isShared: true,
  /** Slack described the channel. If not, the other facts are cautious guesses, only fit for deciding who may read. */
  isTold: false,
  /** It is shared with other workspaces of the organisation. */
  isOrgShared: true,
  isMember: true,
  isArchived: false,
  /** It does not exist, or is private without the bot. */
  isHidden: false,
  /** The workspaces in which it can be seen. Empty if Slack does not say. */
  teams: [] as string[],
  /** The workspace that hosts it, if it is shared and Slack says so. */
  host: undefined as string | undefined,
  /** Those of the bot's own workspace or organisation. Empty if Slack does not say. */
  ownTeams: [] as string[],
}

type PlaceFacts = typeof UNKNOWN

/**
 * Returns the current facts about a channel from Slack.
 * @throws if Slack does not answer
 */
export async function factsOfPlace(
  channel: string,
  installation: Pick<Installation, 'client' | 'identity' | 'isOrgWide'>,
  effort: 'once' | 'patient' = 'patient',
): Promise<PlaceFacts> {
  if (channel.startsWith('D')) return { ...UNKNOWN, isTold: true, isPrivate: true, isShared: false, isOrgShared: false }
  try {
    const { client } = installation
    const answer = channelSchema.safeParse(await client.call('conversations.info', { channel }, { effort }))
    return answer.success ? factsIn(answer.data.channel, installation) : UNKNOWN
  } catch (error) {
    if (!(error instanceof SlackRefusal) || error.code === 'ratelimited') throw error
    return { ...UNKNOWN, isHidden: error.code === 'channel_not_found', isArchived: error.code === 'is_archived' }
  }
}

/** Returns Slack's code for why the bot cannot post in a conversation. Commands can be typed even there. */
export async function whyNoPosts(channel: string, installation: Installation): Promise<string | undefined> {
  if (!channel.startsWith('D')) {
    const { isHidden, isArchived } = await factsOfPlace(channel, installation)
    return isHidden ? 'channel_not_found' : isArchived ? 'is_archived' : undefined
  }
  // The app has no scope for facts about direct messages, but one for reading its own.
  const reading = installation.client.call('conversations.history', { channel, limit: 1 }, { effort: 'once' })
  const code = await reading.then(() => undefined, refusalCode)
  return code === 'channel_not_found' ? code : undefined
}

function factsIn(
  channel: z.infer<typeof channelSchema>['channel'],
  { identity, isOrgWide }: Pick<Installation, 'identity' | 'isOrgWide'>,
): PlaceFacts {
  const { is_private, is_archived, is_member, is_ext_shared, is_pending_ext_shared, is_org_shared } = channel
  const named = [...channel.shared_team_ids, ...channel.internal_team_ids]
  // A token of one workspace sees the channels of that one.
  const own = channel.context_team_id ?? (isOrgWide ? [] : identity.team)
  const isShared = is_ext_shared === true || is_pending_ext_shared === true
  const others = isShared ? [] : channel.shared_team_ids
  const ours = [channel.internal_team_ids, others, [own].flat()].find((some) => some.length > 0) ?? []
  return {
    isTold: true,
    isPrivate: is_private !== false,
    isCalledPrivate: is_private === true,
    isShared,
    isOrgShared: is_org_shared === true,
    isMember: is_member !== false,
    isArchived: is_archived === true,
    isHidden: false,
    teams: named.length > 0 ? named : [own].flat(),
    ownTeams: ours,
    host: channel.conversation_host_id,
  }
}

/**
 * Returns whether every reader of the question's channel can also see `channels`. They must be public in its workspace,
 * and the question's channel must not be shared with another one. Slack is asked each time, since a channel may just
 * have become private or shared. `untold`: it does not say, such as for a group message, which needs a scope that the
 * app does not ask for.
 */
export async function areSeenFrom(
  { team, channel }: Pick<Question, 'team' | 'channel'>,
  channels: string[],
  installation: Installation,
): Promise<'yes' | 'no' | 'untold'> {
  const others = channels.filter((id) => id !== channel)
  if (others.length === 0) return 'yes'
  const asked = [channel, ...others].map((id) => factsOfPlace(id, installation, 'once'))
  const [here, ...found] = await Promise.all(asked).catch(() => [])
  if (!here || [here, ...found].some(({ teams }) => teams.length === 0)) return 'untold'
  const isInside = !here.isShared && !here.isOrgShared
  return isInside && found.every(({ isPrivate, teams }) => !isPrivate && teams.includes(team)) ? 'yes' : 'no'
}
