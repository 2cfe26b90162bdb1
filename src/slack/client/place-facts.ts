import { z } from 'zod'
import type { Installation } from './installations.ts'
import { SlackRefusal } from './slack-errors.ts'

const flag = z.boolean().optional().catch(undefined)
const channelSchema = z.object({
  channel: z.object({
    is_private: flag,
    is_archived: flag,
    is_member: flag,
    is_ext_shared: flag,
    is_pending_ext_shared: flag,
  }),
})

interface PlaceFacts {
  isPrivate: boolean
  isShared: boolean
  isMember: boolean
  isArchived: boolean
  isHidden: boolean
}

/**
 * Returns the facts about a channel. `isHidden`: it does not exist, or is private without the bot; `isShared`: with
 * another company.
 * @throws if Slack does not answer
 */
export async function factsOfPlace(
  channel: string,
  { client }: Pick<Installation, 'client'>,
  effort: 'once' | 'patient' = 'patient',
): Promise<PlaceFacts> {
  const none = { isPrivate: false, isShared: false, isMember: true, isArchived: false, isHidden: false }
  if (channel.startsWith('D')) return { ...none, isPrivate: true }
  try {
    const answer = channelSchema.safeParse(await client.call('conversations.info', { channel }, { effort }))
    if (!answer.success) return none
    const { is_private, is_archived, is_member, is_ext_shared, is_pending_ext_shared } = answer.data.channel
    return {
      isPrivate: is_private === true,
      isShared: is_ext_shared === true || is_pending_ext_shared === true,
      isMember: is_member !== false,
      isArchived: is_archived === true,
      isHidden: false,
    }
  } catch (error) {
    if (!(error instanceof SlackRefusal) || error.code === 'ratelimited') throw error
    return { ...none, isHidden: error.code === 'channel_not_found', isArchived: error.code === 'is_archived' }
  }
}
