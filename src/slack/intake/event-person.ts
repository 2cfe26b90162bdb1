import { inTime } from '../../base/async.ts'
import type { Presser } from '../../stores/runs/audience.ts'
import { isNamesakes } from '../client/people-and-channels.ts'
import { factsOfPlace } from '../client/place-facts.ts'
import { PATIENCE_MS, whosePerson } from '../client/whose-person.ts'
import type { Services } from '../services.ts'
import type { DeliveryRecipient } from './authorized-team.ts'

/** An event in a channel that names a person only by an id, such as a reaction. */
interface EventOfPerson {
  event: { user: string; user_team?: unknown }
  channel: string
  /** The envelope. */
  body: { is_ext_shared_channel?: boolean; team_id?: string | null; context_team_id?: string | null }
}

/**
 * Returns who did something in a channel. If it is shared with another company, the envelope may name that company:
 * then its person counts as one of it, even with the id of somebody here.
 */
export async function personOfEvent(
  given: EventOfPerson,
  { team, installation }: DeliveryRecipient,
  { installations }: Services,
): Promise<Presser> {
  const { event, body } = given
  const { user, user_team: own } = event
  const named = typeof own === 'string' ? own : undefined
  const isOpen = named === undefined && body.is_ext_shared_channel === true && (body.team_id ?? team) !== team
  if (!isOpen) return whosePerson({ team, user, userTeam: named }, { installation, installations })
  const userTeam = body.team_id ?? team
  const facts = await inTime(PATIENCE_MS, installation.directory.factsOf(team, user), 'unreachable' as const)
  if (typeof facts === 'string') return { user, userTeam }
  if (facts.isExternal) return { user, userTeam: facts.homes[0] ?? userTeam, homes: facts.homes }
  const isTheirs = isNamesakes(facts, { team, userTeam }) && !(await namesHost(given, { team, installation }))
  return isTheirs ? { user, userTeam } : whosePerson({ team, user }, { installation, installations })
}

/** Returns whether a foreign workspace on the envelope is that which hosts the channel, and not that of the person. */
async function namesHost(
  { body, channel }: EventOfPerson,
  { team, installation }: DeliveryRecipient,
): Promise<boolean> {
  const asking = factsOfPlace(channel, installation, 'once').catch(() => ({ host: undefined }))
  const facts = await inTime(PATIENCE_MS, asking, undefined)
  if (!facts) return false
  const { host } = facts
  return host === undefined ? body.context_team_id === team : host === body.team_id
}
