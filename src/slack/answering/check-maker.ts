import { TransientError } from '../../base/errors.ts'
import type { PauseReason, Schedule } from '../../stores/schedules/types.ts'
import { factsOfPlace } from '../client/place-facts.ts'
import { denialNow } from '../intake/access.ts'
import { isMember } from '../intake/may-set.ts'
import type { QuestionWork } from '../question-work.ts'

/**
 * Returns why a schedule may not run now on behalf of its maker, in its channel. Undefined if it may. Asks Slack each
 * time.
 * @throws TransientError if Slack does not say enough
 */
export async function whyPaused(work: QuestionWork, schedule: Schedule): Promise<PauseReason | undefined> {
  const { question, installation, settings, signal, services } = work
  const { team, channel, user } = schedule
  const facts = await installation.directory.factsOf(team, user, { isFresh: true })
  if (facts === 'hidden') return 'makerGone'
  if (typeof facts === 'string') throw new TransientError('Slack did not tell who made the schedule.')
  if (facts.isGone) return 'makerGone'
  if (facts.isGuest || facts.isExternal) return 'makerGuest'
  if (await denialNow({ question, settings, installation, signal }, { log: services.log })) return 'notAllowed'
  return channel.startsWith('D') ? undefined : whyNotIn(work, schedule)
}

async function whyNotIn({ installation }: QuestionWork, schedule: Schedule): Promise<PauseReason | undefined> {
  const { team, channel, user, place, runs } = schedule
  const now = await factsOfPlace(channel, installation)
  if (now.isHidden) return 'botLeft'
  if (now.isArchived) return 'archived'
  // The bot joins a public channel to post, but not again after it was removed.
  const wasIn = place.isMember || runs.some(({ end }) => end === 'answered')
  if (!now.isMember && (wasIn || now.isPrivate)) return 'botLeft'
  if (now.isShared && !place.isShared) return 'becameShared'
  if (now.isPrivate && !place.isPrivate) return 'becamePrivate'
  const isIn = await isMember({ team, channel, user }, installation.client)
  if (isIn === false) return 'makerLeft'
  if (isIn === undefined && now.isPrivate) throw new TransientError('Slack did not tell who is in the channel.')
  return undefined
}
