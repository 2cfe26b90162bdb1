import type { Question } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { SCHEDULES } from '../format/schedule-words.ts'
import { isAdmin } from '../intake/may-set.ts'
import { areSchedulesOff, type Services, type WorkspaceServices } from '../services.ts'
import { scheduleList, type ShownSchedules } from '../views/schedule-blocks.ts'

/**
 * `/ask schedules`: the person's own schedules, and for an admin also the channel's. `note`: a line above it, as
 * mrkdwn.
 */
export async function scheduleListFor(
  place: Pick<Question, 'team' | 'channel' | 'user'>,
  { installation, services }: WorkspaceServices,
  note?: string,
): Promise<Content> {
  if (areSchedulesOff(services)) return noteContent(SCHEDULES.off)
  return scheduleList(await shownSchedules(place, installation, services), note)
}

/** Time limit for looking up names, in ms. */
const NAMES_MS = 1_000

/** The schedules that a person may see in a channel: their own, and as an admin those that post there. */
export async function shownSchedules(
  { team, channel, user }: Pick<Question, 'team' | 'channel' | 'user'>,
  { directory }: Installation,
  { schedules, now }: Pick<Services, 'schedules' | 'now'>,
): Promise<ShownSchedules> {
  const own = await schedules.list({ team, user })
  const mayManage = !channel.startsWith('D') && isAdmin(await directory.factsOf(team, user))
  const others = mayManage ? (await schedules.list({ team, channel })).filter((one) => one.user !== user) : []
  const people = others.map((one) => one.user)
  if (people.length > 0) await directory.lookUp(team, people, NAMES_MS)
  const nameOf = (id: string) => directory.personName(team, id) ?? 'somebody'
  return { own, others, now: now().getTime(), nameOf }
}
